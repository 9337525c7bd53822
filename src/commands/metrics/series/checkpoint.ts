/** `--checkpoint FILE`: how far an export has come, kept beside it until it is whole. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Context } from '../../../cli/context.ts';
import { usage } from '../../../core/errors.ts';
import { parseJson, stringifyJson } from '../../../core/json.ts';
import type { LastFilled } from '../../../domain/series/fill.ts';
import type { Resume, Written } from '../../../output/output.ts';

/** The last period of a company that is written whole. */
export interface Position {
  companyId?: string;
  periodKey: string;
}

/** Where a run before came to. */
export interface After extends Position {
  /** With `--fill prev`, what stood last. */
  filled?: LastFilled;
}

export interface Checkpoint {
  /** Whether there is something to go on from. */
  kept(): boolean;
  /**
   * One output: that of a company with a file of its own, or the only one.
   * @param there whether what was written whole is still in its place; else it is written again
   */
  part(companyId?: string, there?: () => boolean): Part;
}

export interface Part {
  after: After | undefined;
  /** A run before wrote all of it. */
  done: boolean;
  /** Notes what `--fill prev` would go on with behind the period. */
  filled(position: Position, last: LastFilled): void;
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

interface KeptPart {
  request: Record<string, string>;
  after?: After;
  written: Written;
  done?: true;
}

type KeptParts = Record<string, KeptPart>;

/** @param companies those that have a file each; none: there is one output */
export async function openCheckpoint(ctx: Context, name: string, companies: readonly string[]): Promise<Checkpoint> {
  const file = resolve(ctx.runtime.cwd, name);
  const parts = await readKept(file, name);
  const expected = companies.length > 0 ? companies : [''];
  // Outputs are written side by side, and their checkpoints one after the other.
  let saving = Promise.resolve();
  const save = (key: string, part: KeptPart) => {
    parts[key] = part;
    const whole = expected.every((each) => parts[each]?.done);
    const text = stringifyJson({ comem: 'checkpoint', parts });
    saving = saving.then(async () => {
      if (whole) return rm(file, { force: true });
      await writeFile(`${file}.tmp`, text, { mode: 0o600 });
      await rename(`${file}.tmp`, file);
    });
    return saving;
  };
  return {
    kept: () => Object.keys(parts).length > 0,
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
  /** What stood last at the position; what stood before it is of no use any more. */
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
    done: kept?.done === true,
    filled: (position, last) => states.set(keyOf(position), last),
    resumable(rows, request) {
      const asked = Object.fromEntries(
        Object.entries(request).map(([key, value]) => [key, JSON.stringify(value ?? null)]),
      );
      if (kept) refuseOther(kept.request, asked, name);
      const ends = new WeakSet<Position>();
      if (kept?.after) {
        const { companyId, periodKey } = kept.after;
        const whose = companyId === undefined ? '' : ` of company ${companyId}`;
        ctx.out.note(`Going on after ${periodKey}${whose}, behind ${kept.written.rows} rows.`);
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

async function readKept(file: string, name: string): Promise<KeptParts> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw usage(`--checkpoint ${name} cannot be read: ${error.code ?? error.message}`);
  });
  if (text === undefined) return {};
  try {
    const kept = parseJson(text) as { comem?: unknown; parts?: KeptParts };
    if (kept.comem === 'checkpoint' && kept.parts) return kept.parts;
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
