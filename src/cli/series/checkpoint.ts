/** `--checkpoint FILE`: how far an export has come, kept beside it until it is whole. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { usage } from '../../errors.ts';
import type { Resume, Written } from '../../output/resumable.ts';
import type { Context } from '../context.ts';

/** The last period of a company that is written whole. */
export interface Position {
  companyId?: string;
  periodKey: string;
}

export interface Checkpoint {
  /** Where the run before came to. */
  after: Position | undefined;
  /** Whether there is something to go on from. */
  kept(): boolean;
  /**
   * The rows, and what makes their output resumable.
   * @param request all that decides the bytes of the output, by names that messages use
   * @throws usage when the run before was of another request
   */
  resumable<Row extends Position>(
    rows: AsyncIterable<Row>,
    request: Record<string, unknown>,
  ): { rows: AsyncIterable<Row>; resume: Resume<Row> };
}

interface Kept {
  comem: 'checkpoint';
  request: Record<string, string>;
  after?: Position;
  written: Written;
}

export async function openCheckpoint(ctx: Context, name: string): Promise<Checkpoint> {
  const file = resolve(ctx.runtime.cwd, name);
  const kept = await readKept(file, name);
  let some = kept !== undefined;
  return {
    after: kept?.after,
    kept: () => some,
    resumable(rows, request) {
      const asked = Object.fromEntries(
        Object.entries(request).map(([key, value]) => [key, JSON.stringify(value ?? null)]),
      );
      if (kept) refuseOther(kept.request, asked, name);
      const ends = new WeakSet<Position>();
      if (kept?.after) ctx.out.note(`Going on after ${kept.after.periodKey}, behind ${kept.written.rows} rows.`);
      return {
        rows: withEnds(rows, ends),
        resume: {
          before: kept?.written,
          endsWhole: (row) => ends.has(row),
          async keep(row, written) {
            const after = row && { companyId: row.companyId, periodKey: row.periodKey };
            const now: Kept = { comem: 'checkpoint', request: asked, after, written };
            await writeFile(`${file}.tmp`, JSON.stringify(now), { mode: 0o600 });
            await rename(`${file}.tmp`, file);
            some = true;
          },
          finished: () => rm(file, { force: true }),
        },
      };
    },
  };
}

/** The rows one behind their source, so that it is known which of them ends its period. */
async function* withEnds<Row extends Position>(rows: AsyncIterable<Row>, ends: WeakSet<Position>): AsyncGenerator<Row> {
  let last: Row | undefined;
  for await (const row of rows) {
    if (last) {
      if (last.periodKey !== row.periodKey || last.companyId !== row.companyId) ends.add(last);
      yield last;
    }
    last = row;
  }
  if (last) {
    ends.add(last);
    yield last;
  }
}

async function readKept(file: string, name: string): Promise<Kept | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw usage(`--checkpoint ${name} cannot be read: ${error.code ?? error.message}`);
  });
  if (text === undefined) return undefined;
  try {
    const kept = JSON.parse(text) as Kept;
    if (kept.comem === 'checkpoint') return kept;
  } catch {
    // What is no JSON is no checkpoint either.
  }
  throw usage(`--checkpoint ${name} is a file, but none of comem's checkpoints`, 'name one that is not there yet');
}

function refuseOther(before: Record<string, string>, now: Record<string, string>, name: string): void {
  const key = Object.keys({ ...before, ...now }).find((each) => before[each] !== now[each]);
  if (key === undefined) return;
  throw usage(
    `--checkpoint ${name} is of another export: ${key} was ${before[key]}, and is ${now[key]}`,
    'repeat the command as it was, --from and --to in the place of --last, or delete the checkpoint to begin anew',
  );
}
