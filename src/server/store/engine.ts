/** What differs between database engines. Everything else of the store is portable SQL. */
import type { Dialect, Expression, Kysely, SqlBool } from './kysely.ts';
import type { Database } from './schema.ts';

export interface Engine {
  dialect: Dialect;
  /** Whether `text` stands in the column, byte for byte: no pattern characters, no folding. */
  contains(column: Expression<string>, text: string): Expression<SqlBool>;
  /** Whether the failure comes from another writer and the same work may succeed when it is done again. */
  isConflict(error: unknown): boolean;
  /** Inside a write transaction: holds off every other process that migrates. */
  lockSchema(db: Kysely<Database>): Promise<void>;
}
