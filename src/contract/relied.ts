/**
 * The fields of an answer that comem needs, within its envelope, by operation: the API marks few as required. `a.b`
 * within each `a`; `a|b` one of them. `test/client/answer.test.ts` holds that no operation is left out.
 */
export const relied: Readonly<Record<string, readonly string[]>> = {
  listLists: ['id'],
  createList: ['id'],
  getList: ['id', 'list_attributes', 'list_attributes.id', 'list_attributes.slug', 'list_attributes.attribute_type'],
  updateList: ['id'],
  createAttribute: ['id'],
  updateAttribute: ['id'],
  listEntries: ['id'],
  createEntry: ['id'],
  updateEntry: ['id'],
  stepEntry: ['queued|canStep'],
  instantiateTemplate: ['list', 'list.id'],
  getLiveMetrics: ['metrics|source|mode|currency'],
  getMetricCatalog: ['definitions', 'definitions.metricId'],
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

/** The periods of an answer, by operation, written as in `relied`: one of another form would be joined with none. */
export const answeredPeriods: Readonly<Record<string, readonly string[]>> = {
  getLiveMetrics: ['periodKey'],
  getPublishedMetrics: ['metrics.periods.periodKey', 'publication.periodKey'],
  getMetricSeries: ['items.periodKey', 'observations.periodKey'],
};

/** The field that names the list of an answer, or of each of its rows, by operation. */
export const answeredList: Readonly<Record<string, string>> = { getList: 'id', listEntries: 'list_id' };

/** The field of an answer or its rows that names the company, and the parameter of the request that does. */
interface AnsweredCompany {
  /** Default: `companyId`, or the header. */
  parameter?: string;
  fields: readonly string[];
}

const usual: AnsweredCompany = { fields: ['companyId', 'company_id'] };
const investor: AnsweredCompany = { parameter: 'vcCompanyId', fields: ['vcCompanyId'] };
const others: Readonly<Record<string, AnsweredCompany>> = {
  instantiateTemplate: { fields: ['list.company_id'] },
  getMetricPreferences: investor,
  setMetricPreferences: investor,
  getPublishedMetrics: { fields: ['company.id'] },
};

export function answeredCompany(operation: string): AnsweredCompany {
  return others[operation] ?? usual;
}
