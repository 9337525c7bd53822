/** Groups of rows (`stage,first-contact:quarter`) with their aggregates, totals and pivot. */

import { usage } from '../../core/errors.ts';
import { nearestHint } from '../../core/nearest.ts';
import { checkValue } from '../expression/check.ts';
import { evaluate } from '../expression/evaluate.ts';
import { problem } from '../expression/parser.ts';
import { type Scope, typeNames } from '../expression/typed.ts';
import type { Aggregate, Fold } from './aggregates.ts';
import type { Pages } from './cells.ts';
import {
  type Cell,
  cellReader,
  compareCells,
  compareDirected,
  grains,
  groupId,
  isGrain,
  keyNode,
  parts,
} from './cells.ts';

interface GroupKey<Row> {
  label: string;
  /** The groups of a row: one for each option of a multi_select. */
  cells(row: Row): Cell[];
  /** Groups that exist without rows, such as options. */
  known: Cell[] | undefined;
}

interface GroupRow {
  keys: Cell[];
  values: Cell[];
}

/** @throws usage for an unknown column or grain */
export function groupKeys<Row>(written: string, scope: Scope<Row>, where: string): GroupKey<Row>[] {
  return parts(written, where).map((label) => {
    const [suffix = '', grain] = /(?<!\s)\s*:\s*(\w*)$/.exec(label) ?? [];
    const name = label.slice(0, label.length - suffix.length);
    const source = { text: label, where };
    const value = checkValue(keyNode(name, scope, where), scope, { text: name, where });
    if (grain !== undefined && !isGrain(grain)) {
      throw problem(source, name.length + 1, `"${grain}" is not a period`, `periods are ${grains.join(', ')}`);
    }
    if (grain !== undefined && value.type !== 'time') {
      throw problem(source, 0, `${name} is ${typeNames[value.type]}, and :${grain} is for dates`);
    }
    if (value.type === 'duration') throw problem(source, 0, `${name} is a duration, which makes no groups`);
    if (value.type === 'unknown' || value.kind === 'constant') {
      const hint = isGrain(name) ? `name a column of dates, such as created_at:${name}` : undefined;
      throw problem(source, 0, `${name} is not a column`, hint);
    }
    const cellOf = cellReader(value, grain);
    const options = value.kind === 'column' ? value.column.options : undefined;
    return {
      label,
      cells(row) {
        const result = evaluate(value, row);
        return Array.isArray(result) ? result.map(cellOf) : [cellOf(result)];
      },
      known: options?.map(({ id }) => cellOf(id)),
    };
  });
}

/** Folds rows into groups without holding them. */
export class Groups<Row> {
  private readonly byId = new Map<string, { keys: Cell[]; folds: Fold<Row>[] }>();
  isRepeating = false;

  constructor(
    private readonly keys: readonly GroupKey<Row>[],
    private readonly aggregates: readonly Aggregate<Row>[],
  ) {}

  add(row: Row): void {
    const all = combinations(this.keys.map((key) => key.cells(row)));
    if (all.length > 1) this.isRepeating = true;
    for (const cells of all) {
      for (const fold of this.at(cells).folds) fold.add(row);
    }
  }

  at(cells: Cell[]): { keys: Cell[]; folds: Fold<Row>[] } {
    const id = groupId(cells);
    const known = this.byId.get(id);
    if (known) return known;
    const group = { keys: cells, folds: this.aggregates.map((aggregate) => aggregate.fold()) };
    this.byId.set(id, group);
    return group;
  }

  /** The groups, and those that exist without rows, in the order of their keys; empty is last. */
  rows(known: readonly Cell[][] = []): GroupRow[] {
    const groups = [...this.byId.values()].map(({ keys, folds }) => ({
      keys,
      values: folds.map((fold) => fold.value()),
    }));
    const values = this.aggregates.map((aggregate) => aggregate.fold().value());
    const others = known.filter((keys) => !this.byId.has(groupId(keys))).map((keys) => ({ keys, values }));
    return [...groups, ...others].sort((a, b) => compareCells(a.keys, b.keys));
  }
}

/** All combinations of a row's groups: a row with two tags is in both. */
function combinations(all: readonly Cell[][]): Cell[][] {
  let rows: Cell[][] = [[]];
  for (const cells of all) {
    const [cell] = cells;
    if (cell !== undefined && cells.length === 1) for (const row of rows) row.push(cell);
    else rows = rows.flatMap((row) => cells.map((each) => [...row, each]));
  }
  return rows;
}

export interface SummaryColumn<Row> {
  label: string;
  aggregate: Aggregate<Row> | undefined;
}

interface Summary<Row> {
  columns: SummaryColumn<Row>[];
  rows: Cell[][];
  totalRows: number;
  isRepeating: boolean;
}

interface SummaryRequest<Row> {
  keys: readonly GroupKey<Row>[];
  aggregates: readonly Aggregate<Row>[];
  /** Options without entries get a row, too, if there is one key. */
  allKnown?: boolean;
  totals?: boolean | undefined;
  /** Label of the key that becomes columns; it must be one of `keys`. */
  pivot?: string | undefined;
  sort?: readonly string[] | undefined;
}

const totalCell: Cell = { value: 'Total', order: 'Total' };
const noCell: Cell = { value: null, order: null };

/** @throws usage for a sort that names no column of the result */
export async function summary<Row>(pages: Pages<Row>, request: SummaryRequest<Row>): Promise<Summary<Row>> {
  const { keys, aggregates, pivot } = request;
  const at = keys.findIndex(({ label }) => label === pivot);
  const pivotKey = keys[at];
  const rowKeys = keys.filter((_, index) => index !== at);
  if (pivotKey === undefined) checkSort(request);
  const groups = new Groups(keys, aggregates);
  const total = new Groups(pivotKey ? [pivotKey] : [], aggregates);
  for await (const page of pages) {
    for (const row of page) {
      groups.add(row);
      if (request.totals) total.add(row);
    }
  }
  const known = request.allKnown && keys.length === 1 ? (keys[0]?.known ?? []).map((cell) => [cell]) : [];
  // No entries still make a row without keys, and one of totals.
  const groupRows = groups.rows(keys.length === 0 ? [[]] : known);
  const totals = request.totals ? total.rows(pivotKey ? [] : [[]]) : [];
  const table = pivotKey
    ? pivotRows(groupRows, totals, { at, rowKeys, aggregates })
    : plain(groupRows, totals, { rowKeys, aggregates });
  return { ...sortGroups(table, request), isRepeating: groups.isRepeating };
}

interface Shape<Row> {
  rowKeys: readonly GroupKey<Row>[];
  aggregates: readonly Aggregate<Row>[];
}

interface Table<Row> extends Pick<Summary<Row>, 'columns' | 'rows'> {
  totals: Cell[][];
}

function plain<Row>(groupRows: GroupRow[], totals: GroupRow[], { rowKeys, aggregates }: Shape<Row>): Table<Row> {
  return {
    columns: [
      ...rowKeys.map(({ label }) => ({ label, aggregate: undefined })),
      ...aggregates.map((aggregate) => ({ label: aggregate.label, aggregate })),
    ],
    rows: groupRows.map(({ keys, values }) => [...keys, ...values]),
    totals: totals.map(({ values }) => [...totalKeys(rowKeys.length), ...values]),
  };
}

/** Turns the values of one key into columns, for each aggregate. */
function pivotRows<Row>(
  groupRows: GroupRow[],
  totals: GroupRow[],
  { at, rowKeys, aggregates }: Shape<Row> & { at: number },
): Table<Row> {
  const heads = new Map(groupRows.map(({ keys }) => [groupId([keys[at] ?? noCell]), keys[at] ?? noCell]));
  const inOrder = [...heads].sort(([, a], [, b]) => compareCells([a], [b]));
  const places = new Map(inOrder.map(([id], index) => [id, index * aggregates.length]));
  const width = inOrder.length * aggregates.length;
  const byRest = new Map<string, { keys: Cell[]; values: Cell[] }>();
  for (const { keys, values } of groupRows) {
    const rest = keys.filter((_, index) => index !== at);
    const line = byRest.get(groupId(rest)) ?? { keys: rest, values: new Array<Cell>(width).fill(noCell) };
    byRest.set(groupId(rest), line);
    line.values.splice(places.get(groupId([keys[at] ?? noCell])) ?? 0, values.length, ...values);
  }
  const totalLine = new Array<Cell>(width).fill(noCell);
  for (const { keys, values } of totals) totalLine.splice(places.get(groupId(keys)) ?? 0, values.length, ...values);
  return {
    columns: [
      ...rowKeys.map(({ label }) => ({ label, aggregate: undefined })),
      ...inOrder.flatMap(([, { value }]) =>
        aggregates.map((aggregate) => {
          const head = value === null ? '(empty)' : String(value);
          return { label: aggregates.length === 1 ? head : `${head} ${aggregate.label}`, aggregate };
        }),
      ),
    ],
    rows: [...byRest.values()].map(({ keys, values }) => [...keys, ...values]),
    totals: totals.length > 0 ? [[...totalKeys(rowKeys.length), ...totalLine]] : [],
  };
}

function totalKeys(count: number): Cell[] {
  return Array.from({ length: count }, (_, index) => (index === 0 ? totalCell : noCell));
}

function checkSort<Row>({ keys, aggregates, sort = [] }: SummaryRequest<Row>): void {
  const labels = [...keys, ...aggregates].map(({ label }) => label);
  for (const { label } of sort.flatMap(sortKeys)) indexOfLabel(labels, label);
}

/** In any letter case, and a slug for a name, where no label is exactly so. @throws usage */
function indexOfLabel(labels: readonly string[], name: string): number {
  const fold = (label: string) => label.toLowerCase().replace(/[\s_-]+/g, '-');
  const at = labels.includes(name) ? labels.indexOf(name) : labels.findIndex((label) => fold(label) === fold(name));
  if (at >= 0) return at;
  throw usage(
    `sort: the result has no column "${name}"`,
    nearestHint(name, labels, `columns are ${labels.join(', ')}`),
  );
}

/** Sorts the groups and keeps totals last. */
function sortGroups<Row>(
  { columns, rows, totals }: Table<Row>,
  { sort = [] }: SummaryRequest<Row>,
): Omit<Summary<Row>, 'isRepeating'> {
  const labels = columns.map(({ label }) => label);
  const keys = sort.flatMap(sortKeys).map(({ label, descending }) => ({ at: indexOfLabel(labels, label), descending }));
  rows.sort((a, b) => {
    for (const { at, descending } of keys) {
      const [left = null, right = null] = [a[at]?.order, b[at]?.order];
      const order = compareDirected(left, right, descending);
      if (order !== 0) return order;
    }
    return 0;
  });
  return { columns, rows: [...rows, ...totals], totalRows: totals.length };
}

function sortKeys(written: string): { label: string; descending: boolean }[] {
  return parts(written, 'sort').map((text) => {
    const [, label = text, direction] = /^(.*?)(?::(asc|desc))?$/is.exec(text) ?? [];
    return { label: label.trim(), descending: direction?.toLowerCase() === 'desc' };
  });
}
