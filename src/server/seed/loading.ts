/** The state that the sections of a load share: transaction, time, references by name, counts. */
import { Failure } from '../../core/errors.ts';
import type { Db } from '../store/schema.ts';
import type { Counts } from '../store/tables.ts';
import { References } from './references.ts';
import type { SeedSource } from './seed.ts';

/** The numbers of rows of each section that were created, changed and left as they were. */
export type LoadReport = Record<string, Counts>;

/** The place of an item in its file. */
export interface ItemContext {
  path: string;
  /** The position of an item that has none. */
  position?: number;
  loading: Loading;
}

export class Loading {
  source: SeedSource = { seed: {}, fail: (path, message) => new Failure('bug', `${path} ${message}`) };
  readonly report: LoadReport = {};
  readonly references = new References((path, message) => this.fail(path, message));
  /** The entries of each list so far, by company and slug: a list may continue in a later source. */
  readonly lists = new Map<string, number>();
  /** The months, quarters or years that were loaded of each company, version and metric. */
  readonly points = new Map<string, Set<number>>();
  /** Metrics that have a definition, as company and id. */
  readonly definedMetrics = new Set<string>();
  private readonly occurrences = new Map<string, number>();

  private constructor(
    readonly db: Db,
    /** ISO timestamp for what the seed gives no time. */
    readonly now: string,
  ) {}

  static async start(db: Db, now: Date): Promise<Loading> {
    const loading = new Loading(db, now.toISOString());
    await loading.references.addStored(db);
    return loading;
  }

  fail(path: string, message: string): Failure {
    return this.source.fail(path, message);
  }

  /** Counts earlier items of these names, to derive ids of items that have none. */
  occurrence(...names: readonly (string | null)[]): number {
    const key = JSON.stringify(names);
    const count = this.occurrences.get(key) ?? 0;
    this.occurrences.set(key, count + 1);
    return count;
  }

  count(section: string, { created, updated, unchanged }: Counts): void {
    const counts = this.report[section] ?? { created: 0, updated: 0, unchanged: 0 };
    this.report[section] = {
      created: counts.created + created,
      updated: counts.updated + updated,
      unchanged: counts.unchanged + unchanged,
    };
  }
}
