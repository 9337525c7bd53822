/** Columns of what the `server` commands show: what a load did, credentials, keys. */
import type { Column } from '../../output/column.ts';
import type { Key } from '../../server/keys.ts';
import type { Counts } from '../../server/store/tables.ts';

/** The secret is there only when the key is created. */
type KeyRow = Key & { secret?: string };

export const loadColumns: readonly Column<Counts & { section: string }>[] = [
  { key: 'section', heading: 'Section', get: (row) => row.section },
  { key: 'created', heading: 'Created', type: 'integer', get: (row) => row.created },
  { key: 'updated', heading: 'Updated', type: 'integer', get: (row) => row.updated },
  { key: 'unchanged', heading: 'Unchanged', type: 'integer', get: (row) => row.unchanged },
];

export interface CredentialRow {
  name: string;
  kind: string;
  /** The bearer token, or the complete Cookie header. */
  credential: string;
  company: string;
  companyId: string;
  user: string;
  scopes: readonly string[];
  expiresAt?: string;
  revokedAt?: string;
  says: string;
}

export const credentialColumns: readonly Column<CredentialRow>[] = [
  { key: 'name', heading: 'Name', rank: 1, wraps: true, get: (row) => row.name },
  { key: 'kind', heading: 'Kind', rank: 4, get: (row) => row.kind },
  { key: 'credential', heading: 'Credential', rank: 2, whole: true, get: (row) => row.credential },
  { key: 'company', heading: 'Company', rank: 5, get: (row) => row.company },
  { key: 'companyId', heading: 'Company ID', type: 'id', get: (row) => row.companyId },
  { key: 'says', heading: 'What it is for', rank: 3, wraps: true, get: (row) => row.says },
  { key: 'user', heading: 'User', get: (row) => row.user, hidden: true },
  { key: 'scopes', heading: 'Scopes', type: 'json', get: (row) => row.scopes, hidden: true },
  { key: 'expiresAt', heading: 'Expires', type: 'datetime', get: (row) => row.expiresAt, hidden: true },
  { key: 'revokedAt', heading: 'Revoked', type: 'datetime', get: (row) => row.revokedAt, hidden: true },
];

const shared: readonly Column<KeyRow>[] = [
  { key: 'company', heading: 'Company', get: (row) => row.company },
  { key: 'companyId', heading: 'Company ID', type: 'id', get: (row) => row.companyId, hidden: true },
  { key: 'user', heading: 'User', get: (row) => row.user },
  { key: 'scopes', heading: 'Scopes', type: 'json', get: (row) => row.scopes, hidden: true },
  {
    key: 'status',
    heading: 'Status',
    tones: { active: 'green', expired: 'yellow', revoked: 'dim' },
    get: (row) => row.status,
  },
  { key: 'createdAt', heading: 'Created', type: 'datetime', get: (row) => row.createdAt },
  { key: 'expiresAt', heading: 'Expires', type: 'datetime', dates: 'expiry', get: (row) => row.expiresAt },
  { key: 'revokedAt', heading: 'Revoked', type: 'datetime', get: (row) => row.revokedAt, hidden: true },
];

export const keyColumns: readonly Column<KeyRow>[] = [
  { key: 'id', heading: 'Id', type: 'id', get: (row) => row.id },
  { key: 'kind', heading: 'Kind', get: (row) => row.kind },
  { key: 'name', heading: 'Name', get: (row) => row.name },
  { key: 'hint', heading: 'Secret', get: (row) => row.hint },
  ...shared,
];

export const newKeyColumns: readonly Column<KeyRow>[] = [
  { key: 'secret', heading: 'Secret', get: (row) => row.secret },
  { key: 'id', heading: 'Id', type: 'id', get: (row) => row.id },
  { key: 'kind', heading: 'Kind', get: (row) => row.kind },
  { key: 'name', heading: 'Name', get: (row) => row.name },
  ...shared,
];
