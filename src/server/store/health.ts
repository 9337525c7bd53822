/** Whether a database that is open can still be trusted: noticed at every request, and told by `/readyz`. */
import { type Engine, type EngineFailure, LostDatabase, troubleOf } from './engine.ts';

export interface Health {
  /** Throws when the files are gone or damaged: an answer may be wrong, and a write lost. */
  check(): void;
  /** The trouble that an error means; undefined for a bug. What lasts is remembered. */
  notice(error: unknown): EngineFailure | undefined;
  /** Why the database cannot serve; undefined when it can. */
  unready(): Promise<EngineFailure | undefined>;
}

/** @param secret reads the key of cursors, which is another one in every database. @param tryWrite changes nothing */
export function healthOf(
  engine: Engine,
  own: string,
  secret: () => Promise<string | undefined>,
  tryWrite: () => Promise<unknown>,
): Health {
  let damaged: EngineFailure | undefined;
  let unwritable: EngineFailure | undefined;
  const notice = (error: unknown): EngineFailure | undefined => {
    const found = troubleOf(engine, error);
    if (found?.lasts === 'for ever') damaged = found;
    if (found?.lasts === 'until a write') unwritable = found;
    return found;
  };
  return {
    notice,
    check() {
      damaged ??= engine.lost?.();
      if (damaged) throw new LostDatabase(damaged);
    },
    async unready() {
      damaged ??= engine.lost?.();
      if (damaged) return damaged;
      if ((await secret()) !== own) {
        damaged = replaced;
        return damaged;
      }
      if (unwritable === undefined) return undefined;
      try {
        await tryWrite();
        unwritable = undefined;
        return undefined;
      } catch (error) {
        return notice(error);
      }
    },
  };
}

const backups = 'see "Backups" in docs/server.md';

export const replaced: EngineFailure = {
  says: `The files of the database were deleted or replaced under this server; ${backups}`,
  hint: 'stop all servers of this database, put its files back or restore a backup, and start them again',
  lasts: 'for ever',
};

export const damage: EngineFailure = {
  says: `The database is damaged; ${backups}`,
  hint: 'stop all servers of this database and restore a backup: see "Backups" in docs/server.md',
  lasts: 'for ever',
};
