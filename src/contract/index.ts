/** All 23 operations, in the order of docs/api.md. */
import * as entries from './entry-operations.ts';
import * as lists from './list-operations.ts';
import * as metrics from './metric-operations.ts';
import type { Operation } from './operation.ts';

export const operations = {
  listLists: lists.listLists,
  createList: lists.createList,
  getList: lists.getList,
  updateList: lists.updateList,
  deleteList: lists.deleteList,
  createAttribute: lists.createAttribute,
  updateAttribute: lists.updateAttribute,
  deleteAttribute: lists.deleteAttribute,
  listEntries: entries.listEntries,
  createEntry: entries.createEntry,
  updateEntry: entries.updateEntry,
  deleteEntry: entries.deleteEntry,
  stepEntry: entries.stepEntry,
  instantiateTemplate: lists.instantiateTemplate,
  getLiveMetrics: metrics.getLiveMetrics,
  getMetricCatalog: metrics.getMetricCatalog,
  listGrants: metrics.listGrants,
  createGrant: metrics.createGrant,
  revokeGrant: metrics.revokeGrant,
  getMetricPreferences: metrics.getMetricPreferences,
  setMetricPreferences: metrics.setMetricPreferences,
  getPublishedMetrics: metrics.getPublishedMetrics,
  getMetricSeries: metrics.getMetricSeries,
} satisfies Record<string, Operation>;

export type OperationId = keyof typeof operations;

/** The version of the API description (docs/api.md, "Versioning"). */
export const apiVersion = '1.5.0';

export interface Route {
  id: OperationId;
  op: Operation;
  /** The parameters as they are in the path, percent-encoded. */
  params: Record<string, string>;
}

const patterns = Object.entries<Operation>(operations).map(([id, op]) => ({
  // Object.entries gives the keys as strings.
  id: id as OperationId,
  op,
  path: new RegExp(`^${op.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}));

/** The operations of a path, one for each method. */
export function routesTo(path: string): Route[] {
  return patterns.flatMap(({ id, op, path: pattern }) => {
    const match = pattern.exec(path);
    return match ? [{ id, op, params: { ...match.groups } }] : [];
  });
}

/** The operation of a method and path. */
export function operationAt(method: string, path: string): Operation | undefined {
  return routesTo(path).find(({ op }) => op.method === method)?.op;
}
