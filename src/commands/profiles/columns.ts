/** The rows of profiles and their columns. */

import { firstAlias } from '../../config/companies.ts';
import {
  defaultProfile,
  findProfile,
  type Profile,
  type ProfilesFile,
  type StoredSecret,
} from '../../config/profile.ts';
import type { Column } from '../../output/column.ts';

/** A profile without its secrets. */
export interface ProfileRow extends Omit<Profile, 'key' | 'session' | 'groups'> {
  name: string;
  current: boolean;
  readonly: boolean;
  protected: boolean;
  allowHttp: boolean;
  key?: { storage: string; origin: string } | undefined;
  session?: { storage: string; origin: string } | undefined;
  companies: Record<string, string>;
}

export const profileColumns: readonly Column<ProfileRow>[] = [
  { key: 'name', heading: 'Name', get: (row) => row.name },
  { key: 'current', heading: 'Current', type: 'boolean', get: (row) => row.current },
  { key: 'baseUrl', heading: 'Base URL', get: (row) => row.baseUrl },
  {
    key: 'company',
    heading: 'Company',
    type: 'id',
    rank: 10,
    get: (row) => row.company,
    // The aliases are those of the row's profile, not of the one in use.
    shown: ({ companies, company }) => firstAlias(companies, company),
    names: ({ companies, company }) => (firstAlias(companies, company) === undefined ? company : undefined),
  },
  { key: 'key', heading: 'API key', get: (row) => row.key?.storage, path: ['key', 'storage'] },
  { key: 'session', heading: 'Session', get: (row) => row.session?.storage, path: ['session', 'storage'] },
  { key: 'readonly', heading: 'Read-only', type: 'boolean', get: (row) => row.readonly },
  { key: 'protected', heading: 'Protected', type: 'boolean', get: (row) => row.protected },
  { key: 'output', heading: 'Output', get: (row) => row.output },
  { key: 'mirror', heading: 'Mirror', get: (row) => row.mirror, hidden: true },
  { key: 'allowHttp', heading: 'Plain http', type: 'boolean', get: (row) => row.allowHttp, hidden: true },
  { key: 'timeout', heading: 'Time-out', type: 'number', unit: 's', get: (row) => row.timeout, hidden: true },
  { key: 'retries', heading: 'Retries', type: 'integer', get: (row) => row.retries, hidden: true },
  { key: 'maxResponse', heading: 'Response', type: 'number', unit: 'MiB', get: (row) => row.maxResponse, hidden: true },
  { key: 'concurrency', heading: 'Concurrency', type: 'integer', get: (row) => row.concurrency, hidden: true },
  { key: 'keepUndo', heading: 'Keep undo', type: 'boolean', get: (row) => row.keepUndo, hidden: true },
  { key: 'pager', heading: 'Pager', get: (row) => row.pager, hidden: true },
  { key: 'calcFile', heading: 'Calculations', get: (row) => row.calcFile, hidden: true },
  {
    key: 'companies',
    heading: 'Companies',
    type: 'json',
    hidden: true,
    get: (row) => row.companies,
    onScreen: ({ companies }) => Object.keys(companies).join(', '),
  },
];

export interface AliasRow {
  /** `@portfolio` for a group; undefined for a company of the database that has none. */
  alias?: string | undefined;
  /** The company's own name, if it is known; of a group the aliases of its members. */
  name?: string | undefined;
  /** Undefined for a group. */
  id?: string | undefined;
  default: boolean;
  /** The month in which its fiscal years begin. */
  fiscalYearStart?: number | undefined;
}

export const companyColumns: readonly Column<AliasRow>[] = [
  { key: 'alias', heading: 'Alias', get: (row) => row.alias },
  { key: 'name', heading: 'Name', get: (row) => row.name },
  { key: 'id', heading: 'ID', type: 'id', get: (row) => row.id },
  { key: 'default', heading: 'Default', type: 'boolean', get: (row) => row.default },
];

export const fiscalColumns: readonly Column<AliasRow>[] = [
  ...companyColumns,
  { key: 'fiscalYearStart', heading: 'Fiscal years from month', type: 'integer', get: (row) => row.fiscalYearStart },
];

/** A profile as `profiles` shows it; `file` must hold it. */
export function profileRow(file: ProfilesFile, name: string): ProfileRow {
  const { key, session, companies = {}, groups: _, ...settings } = findProfile(file, name) ?? {};
  return {
    name,
    current: name === (file.current ?? defaultProfile),
    ...settings,
    readonly: settings.readonly ?? false,
    protected: settings.protected ?? false,
    allowHttp: settings.allowHttp ?? false,
    key: describeSecret(key),
    session: describeSecret(session),
    companies,
  };
}

function describeSecret(secret: StoredSecret | undefined): { storage: string; origin: string } | undefined {
  return secret && { storage: secret.storage, origin: secret.origin };
}
