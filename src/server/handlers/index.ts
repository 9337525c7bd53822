/** One handler for each operation of the contract; a missing one does not compile. */
import type { OperationId, operations } from '../../contract/index.ts';
import * as attributes from './attributes.ts';
import * as entries from './entries.ts';
import * as grants from './grants.ts';
import type { Handler } from './handler.ts';
import * as lists from './lists.ts';
import { stepEntry } from './loop.ts';
import * as metrics from './metrics.ts';
import * as preferences from './preferences.ts';
import { getPublishedMetrics } from './published.ts';
import { getMetricSeries } from './series.ts';
import { instantiateTemplate } from './templates.ts';

export const handlers: { readonly [Id in OperationId]: Handler<(typeof operations)[Id]> } = {
  listLists: lists.listLists,
  createList: lists.createList,
  getList: lists.getList,
  updateList: lists.updateList,
  deleteList: lists.deleteList,
  createAttribute: attributes.createAttribute,
  updateAttribute: attributes.updateAttribute,
  deleteAttribute: attributes.deleteAttribute,
  listEntries: entries.listEntries,
  createEntry: entries.createEntry,
  updateEntry: entries.updateEntry,
  deleteEntry: entries.deleteEntry,
  stepEntry,
  instantiateTemplate,
  getLiveMetrics: metrics.getLiveMetrics,
  getMetricCatalog: metrics.getMetricCatalog,
  listGrants: grants.listGrants,
  createGrant: grants.createGrant,
  revokeGrant: grants.revokeGrant,
  getMetricPreferences: preferences.getMetricPreferences,
  setMetricPreferences: preferences.setMetricPreferences,
  getPublishedMetrics,
  getMetricSeries,
};
