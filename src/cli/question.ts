/** Rows that are tested, put in order and counted as they stream by. */
import { Failure, readWhole, usage } from '../core/errors.ts';
import { type Pages, sortedRows } from '../core/sorted-rows.ts';
import { checkCondition, checkTree } from '../domain/expression/check.ts';
import { evaluate } from '../domain/expression/evaluate.ts';
import type { Scope } from '../domain/expression/typed.ts';
import { sortOrder } from '../domain/query/cells.ts';
import { Batches } from '../output/write/rows.ts';
import type { Context } from './context.ts';
import type { Asking, Question } from './query.ts';
import { changedSince } from './since.ts';

/** As many candidates as a message names. */
const mostNamed = 10;

export function question<Row>(ctx: Context, { scope, flags, conditions = [], command }: Asking<Row>): Question<Row> {
  const check = () => [
    ...(flags.where ?? []).map((text) => checkCondition(text, scope, '--where')),
    ...conditions.map(({ node, source }) => checkTree(node, scope, source)),
  ];
  let checked = check();
  const { sort } = flags;
  let order = sort && sortOrder(sort, scope);
  const since =
    flags.changedSince === undefined ? undefined : changedSince(ctx, flags.changedSince, scope, [...command]);
  // `today` is that of the server's clock, which is known once it has answered.
  const settleTime = () => {
    checked = check();
    order = sort && sortOrder(sort, scope);
    since?.settleTime();
  };
  const unknown = checked.flatMap(({ unknownOptions }) => unknownOptions);
  const removed = removedOptions(scope, unknown);
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
    // A row may still hold an option that was removed; until one does, nothing is given.
    let held: Row[] = [];
    let isFirst = true;
    for await (const page of pages) {
      if (isFirst) settleTime();
      isFirst = false;
      for (const row of page) {
        if (unknown.length > 0) removed.add(row);
        for (let at = unknown.length - 1; at >= 0; at -= 1) if (has(scope, row, unknown[at])) unknown.splice(at, 1);
        if (!holds(row)) continue;
        since?.saw(row);
        held.push(row);
      }
      if (unknown.length > 0 || held.length === 0) continue;
      yield held;
      held = [];
    }
    const [wrong] = unknown;
    if (wrong) throw usage(wrong.failure.message, removed.hint(wrong.column) ?? wrong.failure.hint);
    if (held.length > 0) yield held;
  }
  return {
    isLocal: true,
    conditions: checked,
    columns: new Set([...checked.flatMap(({ names }) => names), ...(order?.columns ?? [])]),
    select,
    choose(pages, { offset = 0, limit = Number.POSITIVE_INFINITY } = {}) {
      const spill = async () => (await import('../core/spill.ts')).openSpill<Row>();
      const found = select(pages);
      const settled = order && { ...order, key: (row: Row) => order?.key(row) ?? [] };
      const rows = settled
        ? sortedRows(readWhole(found), settled, { most: offset + limit, spill })
        : new Batches(found);
      return offset > 0 ? skipping(rows, offset) : rows;
    },
    empty: () => ({ count: empty, columns: [...new Set(checked.flatMap(({ names }) => names))] }),
    finished: () => since?.finished(),
  };
}

function has<Row>(scope: Scope<Row>, row: Row, option: { column: string; text: string } | undefined): boolean {
  const value = option && scope.column(option.column)?.get(row);
  return Array.isArray(value) ? value.includes(option?.text) : value !== undefined && value === option?.text;
}

/** Options that rows hold and their columns do not have, for a hint: their labels are gone, their ids are not. */
function removedOptions<Row>(scope: Scope<Row>, unknown: readonly { column: string }[]) {
  const held = new Map([...new Set(unknown.map(({ column }) => column))].map((name) => [name, new Set<string>()]));
  return {
    add(row: Row) {
      for (const [name, ids] of held) {
        const { options = [], get } = scope.column(name) ?? {};
        for (const id of [get?.(row)].flat()) {
          if (typeof id === 'string' && ids.size < mostRemoved && options.every((option) => option.id !== id))
            ids.add(id);
        }
      }
    },
    hint(name: string) {
      const ids = [...(held.get(name) ?? [])];
      return ids.length === 0 ? undefined : `options that were removed are named by their ids: ${ids.join(', ')}`;
    },
  };
}

/** As many as a hint lists. */
const mostRemoved = 5;

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

/** @throws notFound without a row; usage with the candidates when there are several */
export async function onlyRow<Row>(rows: Iterable<Row> | AsyncIterable<Row>, name: (row: Row) => string): Promise<Row> {
  const found: Row[] = [];
  for await (const row of rows) {
    found.push(row);
    if (found.length > mostNamed) break;
  }
  const [only, second] = found;
  if (only === undefined) {
    throw new Failure('notFound', 'no row matches, and --one asks for one', { hint: 'choose with other flags' });
  }
  if (second === undefined) return only;
  const more = found.length > mostNamed ? ' and more' : '';
  const candidates = found.slice(0, mostNamed).map(name).join(', ');
  const many = found.length > mostNamed ? `more than ${mostNamed}` : String(found.length);
  throw usage(`--one asks for one row, and ${many} match: ${candidates}${more}`, 'add a condition');
}
