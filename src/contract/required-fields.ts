/**
 * The response fields that comem needs, by operation: the API marks few as required. `a.b` is a field of each `a`;
 * `a|b` needs one of the two. `test/client/answer.test.ts` covers every operation.
 */
export const requiredFields: Readonly<Record<string, readonly string[]>> = {
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

/** The period fields of a response, by operation. Rows are joined by period, so each key must have the API's form. */
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

const defaultCompanyFields: AnsweredCompany = { fields: ['companyId', 'company_id'] };
const investor: AnsweredCompany = { parameter: 'vcCompanyId', fields: ['vcCompanyId'] };
const companyFieldsById: Readonly<Record<string, AnsweredCompany>> = {
  instantiateTemplate: { fields: ['list.company_id'] },
  getMetricPreferences: investor,
  setMetricPreferences: investor,
  getPublishedMetrics: { fields: ['company.id'] },
};

export function answeredCompany(operation: string): AnsweredCompany {
  return companyFieldsById[operation] ?? defaultCompanyFields;
}
