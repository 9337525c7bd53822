/** What the parts of a load share: the transaction, its time, and the references by name. */
import { createHash } from 'node:crypto';
import { isUuid } from '../../contract/validate.ts';
import type { Failure } from '../../core/errors.ts';
import type { Db } from '../store/schema.ts';
import type { Counts } from '../store/upsert.ts';

export interface Loading {
  db: Db;
  /** ISO timestamp of the load, for what the seed gives no time. */
  now: string;
  fail(path: string, message: string): Failure;
  references: References;
  count(section: string, counts: Counts): void;
}

/** A timestamp as the database keeps it; null and undefined stay. */
export function stamp<T extends string | null | undefined>(text: T): T {
  return (typeof text === 'string' ? new Date(text).toISOString() : text) as T;
}

/** 0 or 1; undefined stays. */
export function bit(value: boolean | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

/** How often each key came before, for things with equal names. */
export function occurrences(): (key: string) => number {
  const seen = new Map<string, number>();
  return (key) => {
    const count = seen.get(key) ?? 0;
    seen.set(key, count + 1);
    return count;
  };
}

/** Companies by slug, id or name and users by email, of the seed and of the database. */
export class References {
  private readonly companies = new Map<string, { id: string; currency: string }[]>();
  private readonly users = new Map<string, string>();

  private constructor(private readonly fail: Loading['fail']) {}

  static async of(db: Db, fail: Loading['fail']): Promise<References> {
    const references = new References(fail);
    for (const { id, name, currency } of await db
      .selectFrom('companies')
      .select(['id', 'name', 'currency'])
      .execute()) {
      references.nameCompany([id, name], { id, currency });
    }
    for (const { id, email } of await db.selectFrom('users').select(['id', 'email']).execute()) {
      references.users.set(email, id);
    }
    return references;
  }

  /** The slug of the seed takes precedence over names in the database. */
  addCompany(slug: string, name: string, company: { id: string; currency: string }): void {
    this.nameCompany([company.id, name], company);
    this.companies.set(slug, [company]);
  }

  addUser(email: string, id: string): void {
    this.users.set(email, id);
  }

  company(path: string, text: string): string {
    return this.companyRow(path, text).id;
  }

  /** As `company`, but an unknown id is accepted: a recipient may be elsewhere. */
  recipient(path: string, text: string): string {
    return isUuid(text) && !this.companies.has(text) ? text.toLowerCase() : this.company(path, text);
  }

  currency(path: string, text: string): string {
    return this.companyRow(path, text).currency;
  }

  /** An unknown id is accepted: the author may be gone. */
  user(path: string, email: string): string {
    const id = this.users.get(email) ?? (isUuid(email) ? email.toLowerCase() : undefined);
    if (id === undefined) throw this.fail(path, `names the user ${email}, who is in neither the file nor the database`);
    return id;
  }

  private companyRow(path: string, text: string): { id: string; currency: string } {
    const found = this.companies.get(text) ?? [];
    const [company] = found;
    if (!company) throw this.fail(path, `names the company ${text}, which is in neither the file nor the database`);
    if (found.length > 1) {
      const ids = found.map(({ id }) => id).join(', ');
      throw this.fail(path, `names ${text}, the name of ${found.length} companies; use one of their ids: ${ids}`);
    }
    return company;
  }

  private nameCompany(names: readonly string[], company: { id: string; currency: string }): void {
    for (const name of names) {
      const others = (this.companies.get(name) ?? []).filter(({ id }) => id !== company.id);
      this.companies.set(name, [...others, company]);
    }
  }
}

/** Used only by this project, so that its ids differ from all others. */
const namespace = Buffer.from('6f1c7a52d0b84e0f9b3d2f0a51c8e477', 'hex');

/**
 * A UUID derived from names: the same names give the same id everywhere (RFC 9562, version 5). `a, bc` and `ab, c`
 * differ.
 */
export function stableId(...parts: readonly (string | number | null)[]): string {
  const hash = createHash('sha1').update(namespace).update(JSON.stringify(parts)).digest().subarray(0, 16);
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
