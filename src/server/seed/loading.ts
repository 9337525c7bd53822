/** The state of a load that its sections share: transaction, time, references by name, counts. */
import { createHash } from 'node:crypto';
import type { Version } from '../../contract/metrics.ts';
import { isUuid } from '../../contract/validate.ts';
import { Failure } from '../../core/errors.ts';
import { parsePeriod } from '../../core/periods.ts';
import type { Db } from '../store/schema.ts';
import type { Counts } from '../store/upsert.ts';
import type { Seed } from './seed.ts';

/** A seed, or a part of one that is read while it is loaded, and the failure for a path of it. */
export interface SeedSource {
  seed: Seed;
  fail(path: string, message: string): Failure;
  /** The order of metrics that have no definition yet. Default: that of the points. */
  metricOrder?: readonly string[];
}

/** How many rows of each section were created, changed and left as they were. */
export type LoadReport = Record<string, Counts>;

/** Progress of a list whose entries may come in several sources. */
export interface ListProgress {
  /** Of the list, until it is stored. */
  position: number | undefined;
  entries: number;
  /** How often a title came before, for ids of entries that have none. */
  nth(title: string): number;
}

export class Loading {
  source: SeedSource = { seed: {}, fail: (path, message) => new Failure('bug', `${path} ${message}`) };
  readonly report: LoadReport = {};
  readonly references = new References((path, message) => this.fail(path, message));
  /** By id. */
  readonly lists = new Map<string, ListProgress>();
  readonly points = new SeenPoints();
  /** Metrics that have a definition, as company and id. */
  readonly definedMetrics = new Set<string>();

  private constructor(
    readonly db: Db,
    /** ISO timestamp for what the seed gives no time. */
    readonly now: string,
    /** The database had no points before. */
    readonly hadNoPoints: boolean,
  ) {}

  static async start(db: Db, now: Date): Promise<Loading> {
    const point = await db.selectFrom('metric_points').select('metric_id').limit(1).executeTakeFirst();
    const loading = new Loading(db, now.toISOString(), point === undefined);
    await loading.references.addStored(db);
    return loading;
  }

  fail(path: string, message: string): Failure {
    return this.source.fail(path, message);
  }

  count(section: string, { created, updated, unchanged }: Counts): void {
    this.report[section] ??= { created: 0, updated: 0, unchanged: 0 };
    const counts = this.report[section];
    counts.created += created;
    counts.updated += updated;
    counts.unchanged += unchanged;
  }
}

/** A timestamp as the database keeps it; null and undefined stay. */
export function stamp<T extends string | null | undefined>(text: T): T {
  return (typeof text === 'string' ? new Date(text).toISOString() : text) as T;
}

/** 0 or 1; undefined stays. */
export function bit(value: boolean | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

/** Counts how often each key came before, for rows of equal names. */
export function occurrences(): (key: string) => number {
  const counts = new Map<string, number>();
  return (key) => {
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return count;
  };
}

/** Companies by slug, id or name and users by email, of the seed and of the database. */
class References {
  private readonly companies = new Map<string, { id: string; currency: string }[]>();
  private readonly users = new Map<string, string>();

  constructor(private readonly fail: (path: string, message: string) => Failure) {}

  async addStored(db: Db): Promise<void> {
    const companies = await db.selectFrom('companies').select(['id', 'name', 'currency']).execute();
    for (const { id, name, currency } of companies) this.nameCompany([id, name], { id, currency });
    for (const { id, email } of await db.selectFrom('users').select(['id', 'email']).execute()) {
      this.users.set(email, id);
    }
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
    const matches = this.companies.get(text) ?? [];
    const [company] = matches;
    if (!company) throw this.fail(path, `names the company ${text}, which is in neither the file nor the database`);
    if (matches.length > 1) {
      const ids = matches.map(({ id }) => id).join(', ');
      throw this.fail(path, `names ${text}, the name of ${matches.length} companies; use one of their ids: ${ids}`);
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

interface SeedPoint {
  company: string;
  period: string;
  version: Version;
  metric: string;
}

/** The points that were loaded: one bit for each, so that a repeated one is detected among millions. */
class SeenPoints {
  private readonly series = new Map<string, { first: number; bits: Uint8Array }>();

  /** @returns false for a point that was added before */
  add({ company, period, version, metric }: SeedPoint): boolean {
    const { type, index } = parsePeriod(period) ?? { type: '', index: 0 };
    const key = JSON.stringify([company, version, type, metric]);
    const byte = index >> 3;
    const before = this.series.get(key) ?? {
      first: byte,
      bits: new Uint8Array(1),
    };
    const { first, bits } = withByte(before, byte);
    this.series.set(key, { first, bits });
    const mask = 1 << (index & 7);
    const isNew = ((bits[byte - first] ?? 0) & mask) === 0;
    bits[byte - first] = (bits[byte - first] ?? 0) | mask;
    return isNew;
  }
}

function withByte(series: { first: number; bits: Uint8Array }, byte: number) {
  const end = series.first + series.bits.length;
  if (byte >= series.first && byte < end) return series;
  const first = Math.min(series.first, byte);
  const bits = new Uint8Array(Math.max(end, byte + 1) - first);
  bits.set(series.bits, series.first - first);
  return { first, bits };
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
