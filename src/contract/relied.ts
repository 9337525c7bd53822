/**
 * The fields of an answer that comem relies on, within its envelope, by operation: the API marks few as required. `a.b`
 * within each `a`; `a|b` one of them; `a?` null or an empty text too. `test/client/answer.test.ts` holds that no
 * operation is left out.
 */
export const relied: Readonly<Record<string, readonly string[]>> = {
  listLists: ['id', 'name', 'slug?'],
  createList: ['id'],
  getList: [
    ...['id', 'name', 'slug?', 'list_attributes'],
    ...['list_attributes.id', 'list_attributes.name', 'list_attributes.slug', 'list_attributes.attribute_type'],
  ],
  updateList: ['id'],
  createAttribute: ['id'],
  updateAttribute: ['id'],
  listEntries: ['id', 'title', 'values?'],
  createEntry: ['id'],
  updateEntry: ['id'],
  stepEntry: ['queued|canStep'],
  instantiateTemplate: ['list', 'list.id'],
  getLiveMetrics: ['metrics'],
  getMetricCatalog: ['definitions', 'definitions.metricId'],
  // Without metric ids a grant is for all metrics.
  listGrants: ['id', 'status'],
  createGrant: ['id'],
  revokeGrant: ['id', 'status|revoked_at'],
  getMetricPreferences: ['vcCompanyId'],
  setMetricPreferences: ['id'],
  getPublishedMetrics: ['metrics|missingPublication', 'metrics.periods.periodKey'],
  getMetricSeries: [
    ...['items|observations', 'items.periodKey', 'items.version', 'items.metrics'],
    ...['observations.metricId', 'observations.periodKey', 'observations.version'],
  ],
};
