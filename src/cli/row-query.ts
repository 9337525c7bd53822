/** Tests, sorts and counts rows as they stream by, also by `--changed-since`. */
import { createHash } from 'node:crypto';
import { type Mark, readMark, writeMark } from '../config/marks.ts';
import { Failure, readWhole, requireField, rowName, usage } from '../core/errors.ts';
import { isObject, stringifyJson } from '../core/json.ts';
import { readInstant } from '../core/periods.ts';
import { type Checked, checkCondition, checkTree } from '../domain/expression/check.ts';
import { evaluate } from '../domain/expression/evaluate.ts';
import { UnknownOptions } from '../domain/expression/literals.ts';
import { type Node, parse, type Source } from '../domain/expression/parser.ts';
import { instant } from '../domain/expression/time.ts';
import type { Scope } from '../domain/expression/typed.ts';
import { type Pages, sortedRows, sortOrder } from '../domain/query/cells.ts';
import { Batches } from '../output/write/rows.ts';
import type { Context } from './context.ts';
import { timeText } from './words.ts';

/** The flags that choose rows, as they were given. */
export type RowFlags = { where?: string[]; changedSince?: string; sort?: string[]; one?: boolean };

export interface QueryOptions<Row> {
  scope: Scope<Row>;
  flags: RowFlags;
  /** Conditions of other flags. */
  conditions?: readonly { node: Node; source: Source }[];
  /** The identity of a command for `--changed-since last`: its words, arguments and selecting flags. */
  command: readonly unknown[];
}

export interface RowQuery<Row> {
  /** Whether rows are tested, put in order or skipped here: then the API's own limit and offset say nothing. */
  isLocal: boolean;
  /** The conditions, all of which must hold. */
  conditions: readonly Checked<Row>[];
  /** The columns that the conditions and the order name. */
  columns: ReadonlySet<string>;
  /** The rows that meet the conditions, as they come. */
  select(pages: Pages<Row>): AsyncIterable<readonly Row[]>;
  /** The same in their order. */
  choose(pages: Pages<Row>, part?: { offset?: number | undefined; limit?: number | undefined }): AsyncIterable<Row>;
  /** The number of rows that an empty value excludes, and the columns. */
  empty(): { count: number; columns: string[] };
  /** All that was chosen is written. */
  finished(): void;
}

/** The most candidates that a message names. */
const maxNames = 10;

export function createRowQuery<Row>(
  ctx: Context,
  { scope, flags, conditions = [], command }: QueryOptions<Row>,
): RowQuery<Row> {
  const check = () => [
    ...(flags.where ?? []).map((text) => checkCondition(text, scope, '--where')),
    ...conditions.map(({ node, source }) => checkTree(node, scope, source)),
  ];
  let checked = check();
  const { sort } = flags;
  let order = sort && sortOrder(sort, scope, '--sort');
  const since =
    flags.changedSince === undefined ? undefined : changedSince(ctx, flags.changedSince, scope, [...command]);
  // `today` is that of the server's clock, which is known once it has answered.
  const settleTime = () => {
    checked = check();
    order = sort && sortOrder(sort, scope, '--sort');
    since?.settleTime?.();
  };
  const unknown = new UnknownOptions(
    scope,
    checked.flatMap(({ unknownOptions }) => unknownOptions),
  );
  let empty = 0;
  const holds = (row: Row): boolean => {
    for (const { root } of checked) {
      const answer = evaluate(root, row);
      if (answer === null) empty += 1;
      if (answer !== true) return false;
    }
    return since?.holds(row) ?? true;
  };
  async function* select(pages: Pages<Row>): AsyncGenerator<readonly Row[]> {
    // An unknown option may be a removed one that rows still hold. Rows wait until one shows it.
    let held: Row[] = [];
    let isFirst = true;
    for await (const page of pages) {
      if (isFirst) settleTime();
      isFirst = false;
      for (const row of page) {
        unknown.read(row);
        if (!holds(row)) continue;
        since?.saw?.(row);
        held.push(row);
      }
      if (!unknown.isEmpty || held.length === 0) continue;
      yield held;
      held = [];
    }
    const failure = unknown.failure();
    if (failure) throw failure;
    if (held.length > 0) yield held;
  }
  return {
    isLocal: true,
    conditions: checked,
    columns: new Set([...checked.flatMap(({ names }) => names), ...(order?.columns ?? [])]),
    select,
    choose(pages, { offset = 0, limit = Number.POSITIVE_INFINITY } = {}) {
      const matches = select(pages);
      // The order may change with the server's clock, which the first page tells.
      const sorted = order && { ...order, key: (row: Row) => order?.key(row) ?? [] };
      const rows = sorted ? inOrder(matches, sorted, offset + limit) : new Batches(matches);
      return offset > 0 ? skipping(rows, offset) : rows;
    },
    empty: () => ({ count: empty, columns: [...new Set(checked.flatMap(({ names }) => names))] }),
    finished: () => since?.finished?.(),
  };
}

async function* inOrder<Row>(
  pages: AsyncIterable<readonly Row[]>,
  order: Parameters<typeof sortedRows<Row>>[1],
  limit: number,
): AsyncGenerator<Row> {
  yield* await sortedRows(readWhole(pages), order, limit);
}

async function* skipping<Row>(rows: AsyncIterable<Row>, count: number): AsyncGenerator<Row> {
  let left = count;
  for await (const row of rows) {
    if (left > 0) left -= 1;
    else yield row;
  }
}

/** The rows, and whether all of them were taken. */
export function whole<Row>(rows: AsyncIterable<Row>): { rows: AsyncIterable<Row>; ended(): boolean } {
  let ended = false;
  async function* all(): AsyncGenerator<Row> {
    for await (const row of rows) yield row;
    ended = true;
  }
  return { rows: all(), ended: () => ended };
}

/** The flag that asks for one row, and hints where there is none, or are several. */
const oneFlag = { flag: '--one', none: 'choose with other flags', several: 'add a condition' };

/** @throws notFound without a row; usage with the candidates when there are several */
export async function onlyRow<Row>(
  rows: Iterable<Row> | AsyncIterable<Row>,
  name: (row: Row) => string,
  { flag, none, several } = oneFlag,
): Promise<Row> {
  const matches: Row[] = [];
  for await (const row of rows) {
    matches.push(row);
    if (matches.length > maxNames) break;
  }
  const [only, second] = matches;
  if (only === undefined) {
    throw new Failure('notFound', `no row matches, and ${flag} asks for one`, { hint: none });
  }
  if (second === undefined) return only;
  const more = matches.length > maxNames ? ' and more' : '';
  const candidates = matches.slice(0, maxNames).map(name).join(', ');
  const many = matches.length > maxNames ? `more than ${maxNames}` : String(matches.length);
  throw usage(`${flag} asks for one row, and ${many} match: ${candidates}${more}`, several);
}

/** Selects changed rows, and remembers them once all were printed. */
interface ChangeFilter<Row> {
  /** The server has answered: its clock is known. */
  settleTime?(): void;
  holds(row: Row): boolean;
  /** A row that is printed. */
  saw?(row: Row): void;
  /** The output is complete. */
  finished?(): void;
}

/** Writes may become visible to readers this late. */
const overlapMs = 10_000;
/** The most rows to remember; the next run prints the rows of a larger overlap again. */
const maxRemembered = 20_000;

/**
 * @param command what makes runs the same command: words, arguments and flags that select rows
 * @throws usage for what is not a time, and where rows do not say when they changed
 */
function changedSince<Row>(ctx: Context, when: string, scope: Scope<Row>, command: unknown[]): ChangeFilter<Row> {
  const source = { text: when, where: '--changed-since' };
  const name = scope.column('updated_at') ? 'updated_at' : 'updatedAt';
  const column = scope.column(name);
  if (!column) throw usage('--changed-since: these rows do not say when they changed');
  const timeOf = (row: Row): number => {
    const text = requireField(column.get(row), name, rowName('row', isObject(row) ? row.id : undefined));
    const time = typeof text === 'string' ? instant(text)?.start : undefined;
    if (time !== undefined) return time;
    throw new Failure('rejected', `${name} is ${JSON.stringify(text)}, which cannot be read as a time`);
  };
  if (when.trim() === 'last') return sinceLast(ctx, timeOf, command);
  // A time as tables write it, `2026-03-17 09:00`.
  const time = readInstant(when);
  const text = time === undefined ? when : new Date(time).toISOString();
  const hint = 'give a date, a duration or last, such as 2024-01-31, yesterday, 12h, 7d or 1mo';
  const node = withHint(() => parse(text.trim() === 'yesterday' ? 'today - 1d' : text, source.where), hint);
  const now: Node = { kind: 'name', at: 0, name: 'now', quoted: false };
  const right: Node =
    node.kind === 'duration' ? { kind: 'arithmetic', at: 0, operator: '-', left: now, right: node } : node;
  const left: Node = { kind: 'name', at: 0, name, quoted: false };
  const check = () => checkTree({ kind: 'compare', at: 0, operator: '>=', left, right }, scope, source);
  let { root } = withHint(check, hint);
  if (root.kind !== 'order' || root.right.kind !== 'constant') {
    throw usage(`--changed-since takes a date, a duration or last, got "${when}"`, hint);
  }
  return {
    holds(row) {
      timeOf(row);
      return evaluate(root, row) === true;
    },
    settleTime() {
      ({ root } = check());
    },
  };
}

/** Runs a check with a hint about times for its failure. */
function withHint<T>(check: () => T, hint: string): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof Failure ? error.with({ hint }) : error;
  }
}

function sinceLast<Row>(ctx: Context, timeOf: (row: Row) => number, command: unknown[]): ChangeFilter<Row> {
  const { settings, folders, out, runtime } = ctx;
  const { baseUrl, companies, profile } = settings;
  const words = JSON.stringify([...command, baseUrl.value, companies.value]);
  const key = createHash('sha256').update(words).digest('hex').slice(0, 32);
  const mark: Mark | undefined = readMark(folders, profile.value, key);
  const before = new Set(mark?.seen.map(([, print]) => print));
  const from = (mark && readInstant(mark.at)) ?? Number.NEGATIVE_INFINITY;
  const start = runtime.now().getTime();
  const recent: Mark['seen'] = [];
  out.note(
    mark
      ? `Changes since ${timeText(mark.at)}. What was deleted cannot be seen.`
      : 'All rows: there was no complete run of this command before.',
  );
  return {
    holds: (row) => {
      const time = timeOf(row);
      return time >= from && !(before.size > 0 && before.has(fingerprint(row)));
    },
    saw(row) {
      const time = timeOf(row);
      if (time >= start - dayMs && recent.length <= maxRemembered) recent.push([time, fingerprint(row)]);
    },
    finished() {
      // The server's clock is known once it has answered.
      const begun = start + (ctx.now().getTime() - runtime.now().getTime()) - overlapMs;
      const at = Math.max(begun, from);
      const recentRows = [...(mark?.seen ?? []), ...recent].filter(([time]) => time >= at);
      const next = {
        command: words,
        at: new Date(at).toISOString(),
        seen: recentRows.length > maxRemembered ? [] : recentRows,
      };
      writeMark(folders, profile.value, key, next);
    },
  };
}

const dayMs = 86_400_000;

/** A hash of the row's content. */
function fingerprint(row: unknown): string {
  return createHash('sha256').update(stringifyJson(row)).digest('base64url').slice(0, 22);
}
