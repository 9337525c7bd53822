/** What differs between database engines. Everything else of the store is portable SQL. */
import type { Dialect, Expression, Kysely, SqlBool } from './kysely.ts';
import type { Database } from './schema.ts';

export interface TitleSearch {
  condition: Expression<SqlBool>;
  /** So few titles hold the text that the walk must begin with them, which the engine does not see by itself. */
  leads: boolean;
}

export interface Engine {
  /** As people call it. */
  name: 'SQLite' | 'PostgreSQL';
  dialect: Dialect;
  /** Whether `text` stands in the `title_key` of `e`, byte for byte: no pattern characters, no folding. */
  titleContains(db: Kysely<Database>, text: string): Promise<TitleSearch>;
  /**
   * Inside the migration: what finds titles by three characters and more; kept by the database itself. Does nothing
   * where it is there already.
   */
  createSearch(db: Kysely<Database>): Promise<void>;
  /** What finds titles, as an operator is told. */
  searchIndex(db: Kysely<Database>): Promise<string>;
  /** Whether the failure comes from another writer and the same work may succeed when it is done again. */
  isConflict(error: unknown): boolean;
  /**
   * Where a write transaction is refused while another process writes instead of waiting by itself: whether that was
   * the reason, and for how long to go on asking. Reads go on in between.
   */
  lock?: { isTaken(error: unknown): boolean; patienceMs: number };
  /** What to say of a failure of the database's surroundings (busy, full, not writable, gone); else undefined. */
  trouble(error: unknown): string | undefined;
  /**
   * First in a write transaction: holds off other writers of the same scope, and without a scope all other writers.
   * From then on the transaction sees what they wrote.
   */
  lockWrites(db: Kysely<Database>, scope?: string): Promise<void>;
  /** Only one transaction can be under way in this process. */
  oneWriter: boolean;
  /** How many statements that may change something were run; left out where it is not known. */
  statements?(): number;
  /** Inside a write transaction: holds off every other process that migrates. */
  lockSchema(db: Kysely<Database>): Promise<void>;
  /** Inside a transaction: its statements may take as long as they need. */
  unlimited(db: Kysely<Database>): Promise<void>;
  version(db: Kysely<Database>): Promise<string>;
  /** Bytes on disk. */
  size(db: Kysely<Database>): Promise<number>;
}
