/** The scope of a sync, and its parts: each is read completely, or stays as it was. */
import type { Context } from '../../cli/context.ts';
import type { Client } from '../../client/client.ts';
import { allFailed, Failure, isSkippable, usage } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { monthsIn, type PeriodType, parsePeriod, startMonth } from '../../core/periods.ts';
import { addChanges, type Changes, noChanges } from '../../mirror/tables.ts';
import type { SyncWriter } from '../../mirror/writer.ts';
import type { Column } from '../../output/column.ts';
import { metricIds } from '../metrics/read.ts';

export interface PartRow extends Changes {
  company: string;
  /** `lists`, `entries`, `catalog`, `series` … */
  part: string;
  /** The list, or the company that published; empty for parts that a company has once. */
  name: string;
  outcome: 'read' | 'stale' | 'deleted';
  reason: string | null;
}

export const partColumns: readonly Column<PartRow>[] = [
  { key: 'company', heading: 'Company', rank: 4, get: (row) => row.company },
  { key: 'part', heading: 'Part', rank: 1, get: (row) => row.part },
  { key: 'name', heading: 'Name', rank: 2, get: (row) => row.name },
  { key: 'read', heading: 'Read', type: 'integer', get: (row) => row.read },
  { key: 'added', heading: 'Added', type: 'integer', get: (row) => row.added },
  { key: 'changed', heading: 'Changed', type: 'integer', get: (row) => row.changed },
  { key: 'deleted', heading: 'Deleted', type: 'integer', get: (row) => row.deleted },
  {
    key: 'outcome',
    heading: 'Outcome',
    tones: { read: 'green', stale: 'red', deleted: 'yellow' },
    rank: 3,
    get: (row) => row.outcome,
  },
  { key: 'reason', heading: 'Reason', wraps: true, get: (row) => row.reason },
];

interface Part {
  company: string;
  part: string;
  owner: string;
  name?: string;
}

/** The code of a failure of data that moved while it was read. */
export const moved = 'moved';
/** Data may change while it is read; then it is read again, as often as this. */
const attempts = 3;

export class Sync {
  readonly rows: PartRow[] = [];
  readonly sum = noChanges();
  private readonly failures: Failure[] = [];
  private readonly missing = new Set<string>();
  /** Lists that were read: two companies may share one. */
  readonly listsRead = new Set<string>();
  /** Parts that could not be read, and those for which there is no credential. */
  readonly unread: string[] = [];

  private readonly clients = new Map<string, Promise<Client>>();

  constructor(
    readonly ctx: Context,
    readonly writer: SyncWriter,
    readonly scope: SyncScope,
  ) {}

  /** A client whose requests are of the company. */
  client(company: string): Promise<Client> {
    const known = this.clients.get(company);
    if (known) return known;
    const client = (company === this.ctx.company() ? this.ctx : this.ctx.forCompanies([company])).client();
    this.clients.set(company, client);
    return client;
  }

  /** Reads a part; one that fails stays as it was, marked stale. @param isExpected failures that are thrown */
  async part(part: Part, read: () => Promise<Changes>, isExpected: (failure: Failure) => boolean = () => false) {
    const name = this.shown(part.company);
    this.ctx.out.progress(`reading ${[name, part.part, part.name].filter(Boolean).join(' ')}`);
    try {
      const changes = await this.again(read);
      await this.writer.part(part.part, part.owner);
      this.add(part, changes, 'read');
      return true;
    } catch (error) {
      if (!isSkippable(error) || error.kind === 'usage') throw error;
      if (isExpected(error)) throw error;
      this.unread.push(`${part.part} ${part.owner}`);
      if (error.code === 'credential_missing') {
        this.noteMissing(error);
        return false;
      }
      this.failures.push(error);
      await this.writer.part(part.part, part.owner, error.message);
      this.add(part, noChanges(), 'stale', error.message);
      return false;
    }
  }

  /** Adds the counts of a publisher's periods, which several readers may share. */
  addPublished(publisher: string, { added, changed, deleted }: Changes): void {
    const row = this.rows.findLast(({ part, name }) => part === 'published' && name === this.shown(publisher));
    const changes = { read: 0, added, changed, deleted };
    addChanges(this.sum, changes);
    if (row) addChanges(row, changes);
  }

  /** Called after every part was tried. @throws the failure that all parts share */
  requireSome(): void {
    if (this.rows.some(({ outcome }) => outcome !== 'stale')) return;
    const hint = 'nothing was written to the mirror';
    if (this.failures.length === 0)
      throw new Failure('credential', 'no credential is set, so that nothing can be read');
    throw allFailed(this.failures, 'nothing could be read', { hint: this.failures[0]?.hint ?? hint });
  }

  /** The failure to throw when the report is written; undefined when everything was read. */
  verdict(): Failure | undefined {
    const stale = this.rows.filter(({ outcome }) => outcome === 'stale');
    if (stale.length === 0) return undefined;
    const [first] = this.failures;
    const says = `${stale.length} of ${this.rows.length} parts could not be read: ${first?.message}`;
    const details = stale.map(({ company, part, name, reason }) => ({ company, part, name, reason }));
    const hint = first?.hint ?? 'run the same command again; `comem mirror status` shows them';
    return new Failure('partial', says, { details, hint });
  }

  private async again(read: () => Promise<Changes>): Promise<Changes> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.writer.attempt(read);
      } catch (error) {
        const changed = error instanceof Failure && (error.code === moved || error.code === 'broken_paging');
        if (!changed || attempt === attempts) throw error;
        this.ctx.out.note(`${error.message}: reading it again`);
      }
    }
  }

  add({ company, part, name = '' }: Part, changes: Changes, outcome: PartRow['outcome'], reason: string | null = null) {
    addChanges(this.sum, changes);
    this.rows.push({ company: this.shown(company), part, name, ...changes, outcome, reason });
  }

  /** Notes once for each kind of credential that it is missing. */
  private noteMissing({ details }: Failure): void {
    const kind = isObject(details) && details.kind === 'session' ? 'a session' : 'an API key';
    if (this.missing.has(kind)) return;
    this.missing.add(kind);
    const parts = kind === 'a session' ? 'lists, entries and preferences' : 'metrics, grants and published companies';
    this.ctx.out.note(`Without ${kind}, ${parts} are not read.`);
  }

  shown(company: string): string {
    return this.ctx.companyName(company) ?? company;
  }
}

/** The rows with their ids. @throws rejected for a row without one, which would seem to be deleted */
export function withIds<T extends { id?: string | undefined }>(rows: readonly T[], name: string) {
  return rows.map((row) => {
    const { id } = row;
    if (typeof id !== 'string') throw new Failure('rejected', `the server gave ${name} without an id`);
    return { ...row, id };
  });
}

/** The credential may not read it, or it is not there. */
export function isRefused(error: unknown): error is Failure {
  return error instanceof Failure && (error.status === 403 || error.status === 404);
}

export interface SyncFlags {
  lists?: string[];
  metrics?: string[];
  from?: string;
  published?: string[];
}

interface SyncScope {
  /** UUIDs. */
  companies: readonly string[];
  /** The names of lists as typed; undefined: all; empty: none. */
  lists: readonly string[] | undefined;
  metrics: readonly string[] | undefined;
  from: string | undefined;
  /** Companies whose publications are tried. */
  published: readonly string[];
}

const none = 'none';

/** @throws usage */
export function scopeOf(ctx: Context, flags: SyncFlags): SyncScope {
  ctx.requireCompany();
  if (flags.from !== undefined && parsePeriod(flags.from) === undefined) {
    throw usage(`--from must be a period such as 2006-01, 2006-Q1 or 2006, got "${flags.from}"`);
  }
  const { aliases, groups, companies } = ctx.settings;
  const named = (flags.published ?? []).map((word) => ctx.companyOf(word, '--published'));
  const known = [...named, ...Object.values(aliases), ...Object.values(groups).flat(), ...companies.value];
  return {
    companies: [...new Set(companies.value)],
    lists: words(flags.lists, '--lists'),
    metrics: words(flags.metrics, '--metrics'),
    from: flags.from,
    published: [...new Set(known)],
  };
}

function words(flags: readonly string[] | undefined, name: string): string[] | undefined {
  const ids = metricIds(flags, name);
  if (ids === undefined || !ids.includes(none)) return ids;
  if (ids.length > 1) throw usage(`${name} takes names or none, not both`, 'give one or the other');
  return [];
}

/** The first period of a grain that begins at or after the start of `from`. */
export function firstOf(from: string | undefined, type: PeriodType): number | undefined {
  const period = from === undefined ? undefined : parsePeriod(from);
  return period && Math.ceil(startMonth(period) / monthsIn[type]);
}

/** The scope of the sync, stored for later readers of the mirror. */
export function narrowing({ companies, lists, metrics, from }: SyncScope): Record<string, unknown> {
  return { companies, lists, metrics, from };
}
