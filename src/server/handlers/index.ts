/** One handler for each operation of the contract; a missing one does not compile. */
import type { OperationId, operations } from '../../contract/index.ts';
import { createEntry, deleteEntry, listEntries, stepEntry, updateEntry } from './entries.ts';
import type { Handler } from './handler.ts';
import {
  createAttribute,
  createList,
  deleteAttribute,
  deleteList,
  getList,
  instantiateTemplate,
  listLists,
  updateAttribute,
  updateList,
} from './lists.ts';
import { getLiveMetrics, getMetricCatalog, getMetricPreferences, setMetricPreferences } from './metrics.ts';
import { getMetricSeries } from './series.ts';
import { createGrant, getPublishedMetrics, listGrants, revokeGrant } from './sharing.ts';

export const handlers: { readonly [Id in OperationId]: Handler<(typeof operations)[Id]> } = {
  listLists,
  createList,
  getList,
  updateList,
  deleteList,
  createAttribute,
  updateAttribute,
  deleteAttribute,
  listEntries,
  createEntry,
  updateEntry,
  deleteEntry,
  stepEntry,
  instantiateTemplate,
  getLiveMetrics,
  getMetricCatalog,
  listGrants,
  createGrant,
  revokeGrant,
  getMetricPreferences,
  setMetricPreferences,
  getPublishedMetrics,
  getMetricSeries,
};
