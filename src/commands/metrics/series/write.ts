/** The outputs of a series: one, a file for each company, or that of an interrupted run. */

import { existsSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Context } from '../../../cli/context.ts';
import { type CompanyFailures, companyFailures } from '../../../cli/each-company.ts';
import { cannotRead } from '../../../cli/input-files.ts';
import { formatOf, nameOut, namesCompany } from '../../../cli/show.ts';
import { limiter } from '../../../core/concurrency.ts';
import { usage } from '../../../core/errors.ts';
import { parseJson, stringifyJson } from '../../../core/json.ts';
import { formatPeriod } from '../../../core/periods.ts';
import { readSealed, sealed } from '../../../core/sealed.ts';
import type { LastFilled } from '../../../domain/series/fill.ts';
import type { Output, Written } from '../../../output/output.ts';
import { createOutput } from '../../../output/write/create-output.ts';
import { refused } from '../../../output/write/file-sink.ts';
import { Batches } from '../../../output/write/rows.ts';
import type { SeriesPlan } from './plan.ts';
import { type After, type Position, type RowWriter, writeRows } from './rows.ts';

/** Files that are written at once. */
const mostFiles = 4;

/** Writes the series. When one of several companies fails, the rows of the others are written, then it is thrown. */
export async function writeSeries(ctx: Context, plan: SeriesPlan): Promise<void> {
  const { companies, several } = plan;
  const { checkpoint: name } = plan.options;
  const { out } = ctx.settings;
  const files = several && out !== undefined && namesCompany(out);
  const checkpoint = name === undefined ? undefined : openCheckpoint(ctx, name, files ? companies : []);
  // In one output that resumes, the first company that fails ends the run: the rows after it would be in its place.
  const failures = files || (companies.length > 1 && !checkpoint) ? companyFailures(ctx, companies) : undefined;
  // The others are written to the same output.
  const skipped = files ? undefined : failures;
  const write = async (companyId?: string) => {
    const only = companyId === undefined ? undefined : [companyId];
    const ownPlan = only ? { ...plan, companies: only, request: { ...plan.request, companies: only } } : plan;
    const output = companyId === undefined ? { out: ctx.out } : fileOf(ctx, companyId);
    const writer = checkpoint ? checkpoint.writer(ownPlan, output) : writerTo(ctx, ownPlan, output);
    if (!writer) return;
    try {
      await writeRows(ctx, ownPlan, skipped ? unlessAllFailed(writer, skipped) : writer, skipped);
    } catch (error) {
      // A company that fails leaves no file, or one that the next run continues.
      if (companyId !== undefined) failures?.add(companyId, error, 'none');
      else throw failures?.verdict() ?? error;
    }
  };
  try {
    const slot = limiter(mostFiles);
    await (files ? Promise.all(companies.map((companyId) => slot(() => write(companyId)))) : write());
    const verdict = failures?.verdict();
    if (verdict) throw verdict;
  } catch (error) {
    checkpoint?.noteResume();
    throw error;
  }
}

/** The file of one of several companies. */
function fileOf({ settings, runtime }: Context, companyId: string): SeriesOutput {
  const named = { ...settings, nameOut: nameOut(settings, runtime, companyId) };
  return {
    out: createOutput(named, runtime),
    companyId,
    file: resolve(runtime.cwd, named.nameOut(settings.out ?? '')),
  };
}

/** When every company failed, the failure is thrown before anything is written. */
function unlessAllFailed(writer: RowWriter, failures: CompanyFailures): RowWriter {
  async function* checked<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
    yield* items;
    const verdict = failures.verdict();
    if (verdict && verdict.kind !== 'partial') throw verdict;
  }
  return {
    ...writer,
    rows: (rows, columns) =>
      writer.rows(rows instanceof Batches ? new Batches(checked(rows.batches)) : checked(rows), columns),
  };
}

/** All companies together, or the file of one. */
interface SeriesOutput {
  out: Output;
  /** The company of a file. */
  companyId?: string;
  file?: string;
}

/** Writes the rows, or those that flags choose. */
export const writerTo = (ctx: Context, plan: SeriesPlan, { out }: SeriesOutput): RowWriter => ({
  async rows(rows, columns) {
    if (!plan.selection) return out.rows(rows, columns);
    const { writeChosen } = await import('./plan.ts');
    await writeChosen(ctx.apart({ settings: () => ctx.settings, client: () => ctx.client(), out }), plan, {
      rows,
      columns,
    });
  },
});

interface Checkpoint {
  /** Undefined: an earlier run wrote all of the output. A file that does not exist any more is written again. */
  writer(plan: SeriesPlan, output: SeriesOutput): RowWriter | undefined;
  /** Says how to resume where a run fails and has left something to resume from. */
  noteResume(): void;
}

interface PartProgress {
  request: Record<string, string>;
  after?: After | undefined;
  written: Written;
  done?: true;
}

type Progress = Record<string, PartProgress>;

/** @param companies those with their own files; none: there is one output */
function openCheckpoint(ctx: Context, name: string, companies: readonly string[]): Checkpoint {
  const file = resolve(ctx.runtime.cwd, name);
  const parts = readProgress(file, name);
  const expected = companies.length > 0 ? companies : [''];
  /** Whether the file holds a place to resume from. */
  let stored = Object.keys(parts).length > 0;
  // Outputs are written side by side, and their checkpoints one after the other.
  let saving = Promise.resolve();
  const save = (key: string, part: PartProgress) => {
    parts[key] = part;
    const complete = expected.every((name) => parts[name]?.done);
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
    writer(plan, output) {
      const { companyId = '', file } = output;
      if (parts[companyId]?.done && file !== undefined && !existsSync(file)) delete parts[companyId];
      const before = parts[companyId];
      return before?.done
        ? undefined
        : resumable(ctx, plan, { out: output.out, name, before }, (part) => save(companyId, part));
    },
    noteResume() {
      if (!stored) return;
      const again = ctx.settings.out === undefined ? 'The same command with >>' : 'The same command';
      ctx.out.note(`${again} resumes from here: ${name} keeps the progress.`);
    },
  };
}

/** All that decides the bytes of the output, by the names of the flags. */
function requestOf(ctx: Context, { request, scope, options, versions, derive, companies }: SeriesPlan) {
  const { baseUrl, fields, header, excel, out, limit } = ctx.settings;
  return {
    'base URL': baseUrl.value,
    companies,
    '--order': scope.order,
    '--from': scope.from && formatPeriod(scope.from),
    '--to': scope.to && formatPeriod(scope.to),
    '--period-type': scope.periodType,
    '--metrics': request.metricIds,
    '--versions': versions,
    '--derive': derive,
    '--shape': options.shape,
    '--fill': options.fill,
    '--agg': [...options.aggregations],
    '--limit': limit,
    '--output': formatOf(ctx),
    '--out': out,
    '--fields': fields,
    header,
    '--excel': excel,
  };
}

/** Writes one output, and keeps its progress after each period. */
function resumable(
  ctx: Context,
  plan: SeriesPlan,
  { out, name, before }: { out: Output; name: string; before: PartProgress | undefined },
  save: (part: PartProgress) => Promise<void>,
): RowWriter {
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
    after: before?.after,
    columns: before?.request.columns === undefined ? undefined : (parseJson(before.request.columns) as string[]),
    onFilled: (position, last) => states.set(keyOf(position), last),
    async rows(rows, columns) {
      const all = Object.entries({ ...requestOf(ctx, plan), columns: columns.map(({ key }) => key) });
      const request = Object.fromEntries(all.map(([key, value]) => [key, JSON.stringify(value ?? null)]));
      if (before) refuseOther(before.request, request, name);
      if (before?.after) {
        const { companyId, periodKey } = before.after;
        const whose = companyId === undefined ? '' : ` of company ${companyId}`;
        ctx.out.note(`Resuming after ${periodKey}${whose}: ${before.written.rows} rows are written.`);
      }
      const ends = new WeakSet<Position>();
      let last: PartProgress = { request, written: { bytes: 0, rows: 0 } };
      await out.rows(withEnds(rows, ends), columns, {
        resume: {
          before: before?.written,
          endsWhole: (row) => ends.has(row),
          keep(row, written) {
            const { companyId, periodKey } = row ?? {};
            const after = row && periodKey !== undefined ? { companyId, periodKey, filled: stateAt(row) } : undefined;
            last = { request, after, written };
            return save(last);
          },
          finished: () => save({ ...last, done: true }),
        },
      });
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

function readProgress(file: string, name: string): Progress {
  let text: string | undefined | null;
  try {
    text = readSealed(file, 'checkpoint');
  } catch (error) {
    throw cannotRead(`--checkpoint ${name}`, error);
  }
  if (text === undefined) return {};
  if (text !== null) return parseJson(text) as Progress;
  throw usage(
    `--checkpoint ${name} is not a checkpoint of this version of comem, or was changed`,
    'name a file that does not exist yet, or delete it to start again',
  );
}

function refuseOther(before: Record<string, string>, now: Record<string, string>, name: string): void {
  const key = Object.keys({ ...before, ...now }).find((name) => before[name] !== now[name]);
  if (key === undefined) return;
  throw usage(
    `--checkpoint ${name} belongs to a different export: ${key} was ${before[key]}, and is ${now[key]}`,
    'repeat the same command, with --from and --to instead of --last, or delete the checkpoint to start again',
  );
}
