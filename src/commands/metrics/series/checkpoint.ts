/** `--checkpoint FILE`: the progress of an export, kept until it is complete. */
import { rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Context } from '../../../cli/context.ts';
import { cannotRead } from '../../../cli/pieces.ts';
import { usage } from '../../../core/errors.ts';
import { parseJson, stringifyJson } from '../../../core/json.ts';
import { readSealed, sealed } from '../../../core/sealed.ts';
import type { LastFilled } from '../../../domain/series/fill.ts';
import type { Resume, Written } from '../../../output/output.ts';
import { refused } from '../../../output/write/file-sink.ts';

/** Which company and period a row belongs to. */
export interface Position {
  companyId?: string | undefined;
  periodKey?: string;
}

/** The last period that is written completely. */
export interface After extends Position {
  periodKey: string;
  /** With `--fill prev`, the values that it continues with. */
  filled?: LastFilled | undefined;
}

export interface Checkpoint {
  /** Whether there is something to resume from. */
  kept(): boolean;
  /**
   * One output: that of a company with its own file, or the only one.
   * @param there whether a complete output still exists; else it is written again
   */
  part(companyId?: string, there?: () => boolean): Part;
}

export interface Part {
  after: After | undefined;
  /** Those of the first run, of which there is output. */
  columns: readonly string[] | undefined;
  /** An earlier run wrote all of it. */
  done: boolean;
  /** Keeps what `--fill prev` continues with after the period. */
  onFilled(position: After, last: LastFilled): void;
  /**
   * The rows, and what makes their output resumable.
   * @param request all that decides the bytes of the output, by the names that messages use
   * @throws usage when the checkpoint belongs to a different request
   */
  resumable<Row extends Position>(
    rows: AsyncIterable<Row>,
    request: Record<string, unknown>,
  ): { rows: AsyncIterable<Row>; resume: Resume<Row> };
}

interface KeptPart {
  request: Record<string, string>;
  after?: After | undefined;
  written: Written;
  done?: true;
}

type KeptParts = Record<string, KeptPart>;

/** @param companies those with their own files; none: there is one output */
export async function openCheckpoint(ctx: Context, name: string, companies: readonly string[]): Promise<Checkpoint> {
  const file = resolve(ctx.runtime.cwd, name);
  const parts = readKept(file, name);
  const expected = companies.length > 0 ? companies : [''];
  /** Whether the file holds a place to resume from. */
  let stored = Object.keys(parts).length > 0;
  // Outputs are written side by side, and their checkpoints one after the other.
  let saving = Promise.resolve();
  const save = (key: string, part: KeptPart) => {
    parts[key] = part;
    const complete = expected.every((each) => parts[each]?.done);
    const text = sealed('checkpoint', stringifyJson(parts));
    saving = saving.then(async () => {
      try {
        if (complete) return await rm(file, { force: true });
        await writeFile(`${file}.tmp`, text, { mode: 0o600 });
        await rename(`${file}.tmp`, file);
        stored = true;
      } catch (error) {
        await rm(`${file}.tmp`, { force: true }).catch(() => {});
        throw refused(`--checkpoint ${name}`, error);
      }
    });
    return saving;
  };
  return {
    kept: () => stored,
    part(companyId = '', there = () => true) {
      if (parts[companyId]?.done && !there()) delete parts[companyId];
      return openPart(ctx, name, parts[companyId], (part) => save(companyId, part));
    },
  };
}

function openPart(
  ctx: Context,
  name: string,
  kept: KeptPart | undefined,
  save: (part: KeptPart) => Promise<void>,
): Part {
  const states = new Map<string, LastFilled>();
  const keyOf = ({ companyId, periodKey }: Position) => `${companyId ?? ''} ${periodKey}`;
  /** The values at the position; those before it are dropped. */
  const stateAt = (position: Position) => {
    const wanted = keyOf(position);
    const state = states.get(wanted);
    for (const key of state ? states.keys() : []) {
      states.delete(key);
      if (key === wanted) break;
    }
    return state;
  };
  return {
    after: kept?.after,
    columns: kept?.request.columns === undefined ? undefined : (parseJson(kept.request.columns) as string[]),
    done: kept?.done === true,
    onFilled: (position, last) => states.set(keyOf(position), last),
    resumable(rows, request) {
      const asked = Object.fromEntries(
        Object.entries(request).map(([key, value]) => [key, JSON.stringify(value ?? null)]),
      );
      if (kept) refuseOther(kept.request, asked, name);
      const ends = new WeakSet<Position>();
      if (kept?.after) {
        const { companyId, periodKey } = kept.after;
        const whose = companyId === undefined ? '' : ` of company ${companyId}`;
        ctx.out.note(`Resuming after ${periodKey}${whose}: ${kept.written.rows} rows are written.`);
      }
      let last: KeptPart = { request: asked, written: { bytes: 0, rows: 0 } };
      return {
        rows: withEnds(rows, ends),
        resume: {
          before: kept?.written,
          endsWhole: (row) => ends.has(row),
          keep(row, written) {
            const { companyId, periodKey } = row ?? {};
            const after = row && periodKey !== undefined ? { companyId, periodKey, filled: stateAt(row) } : undefined;
            last = { request: asked, after, written };
            return save(last);
          },
          finished: () => save({ ...last, done: true }),
        },
      };
    },
  };
}

/** Delays each row by one, to mark the last row of each period. */
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

function readKept(file: string, name: string): KeptParts {
  let text: string | undefined | null;
  try {
    text = readSealed(file, 'checkpoint');
  } catch (error) {
    throw cannotRead(`--checkpoint ${name}`, error);
  }
  if (text === undefined) return {};
  if (text !== null) return parseJson(text) as KeptParts;
  throw usage(
    `--checkpoint ${name} is not a checkpoint of this version of comem, or was changed`,
    'name a file that does not exist yet, or delete it to start again',
  );
}

function refuseOther(before: Record<string, string>, now: Record<string, string>, name: string): void {
  const key = Object.keys({ ...before, ...now }).find((each) => before[each] !== now[each]);
  if (key === undefined) return;
  throw usage(
    `--checkpoint ${name} belongs to a different export: ${key} was ${before[key]}, and is ${now[key]}`,
    'repeat the same command, with --from and --to instead of --last, or delete the checkpoint to start again',
  );
}
