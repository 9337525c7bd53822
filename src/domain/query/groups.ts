/** `--by stage,first-contact:quarter`: rows by their values, each group with its aggregates. */
import { checkValue } from '../expression/check.ts';
import { evaluate } from '../expression/evaluate.ts';
import { problem } from '../expression/lexer.ts';
import { parse } from '../expression/parser.ts';
import type { Scope } from '../expression/scope.ts';
import { typeNames } from '../expression/typed.ts';
import type { Aggregate, Fold } from './aggregates.ts';
import { type Cell, cellReader, compareCells, grains, groupId, isGrain } from './cells.ts';
import { parts } from './parts.ts';

export interface GroupKey<Row> {
  /** As it was written: the header. */
  label: string;
  /** The groups of a row: several for a column with several options. */
  cells(row: Row): Cell[];
  /** Those that exist without a row, such as options; undefined: only what rows have. */
  known: Cell[] | undefined;
}

export interface GroupRow {
  keys: Cell[];
  values: Cell[];
}

/** @throws usage for an unknown column or grain */
export function groupKeys<Row>(written: string, scope: Scope<Row>, where = '--by'): GroupKey<Row>[] {
  return parts(written, where).map((label) => {
    const [, name = label, grain] = /^(.*?)\s*(?::\s*(\w*))?$/s.exec(label) ?? [];
    const source = { text: label, where };
    const value = checkValue(parse(name, where), scope, { text: name, where });
    if (grain !== undefined && !isGrain(grain)) {
      throw problem(source, name.length + 1, `"${grain}" is not a period`, `periods are ${grains.join(', ')}`);
    }
    if (grain !== undefined && value.type !== 'time') {
      throw problem(source, 0, `${name} is ${typeNames[value.type]}, and :${grain} is for dates`);
    }
    if (value.type === 'duration') throw problem(source, 0, `${name} is a duration, which makes no groups`);
    if (value.type === 'unknown' || value.kind === 'constant') throw problem(source, 0, `${name} is not a column`);
    const cellOf = cellReader(value, grain);
    const options = value.kind === 'column' ? value.column.options : undefined;
    return {
      label,
      cells(row) {
        const found = evaluate(value, row);
        return Array.isArray(found) ? found.map(cellOf) : [cellOf(found)];
      },
      known: options?.map(({ id }) => cellOf(id)),
    };
  });
}

/** Rows in groups; what is kept is one fold for each aggregate of each group. */
export class Groups<Row> {
  private readonly found = new Map<string, { keys: Cell[]; folds: Fold<Row>[] }>();

  constructor(
    private readonly keys: readonly GroupKey<Row>[],
    private readonly aggregates: readonly Aggregate<Row>[],
  ) {}

  add(row: Row): void {
    for (const cells of combinations(this.keys.map((key) => key.cells(row)))) {
      for (const fold of this.at(cells).folds) fold.add(row);
    }
  }

  /** The group of these cells, made when it is new. */
  at(cells: Cell[]): { keys: Cell[]; folds: Fold<Row>[] } {
    const id = groupId(cells);
    const known = this.found.get(id);
    if (known) return known;
    const made = { keys: cells, folds: this.aggregates.map((aggregate) => aggregate.fold()) };
    this.found.set(id, made);
    return made;
  }

  /** In the order of their keys, what is empty last. */
  rows(): GroupRow[] {
    return [...this.found.values()]
      .map(({ keys, folds }) => ({ keys, values: folds.map((fold) => fold.value()) }))
      .sort((a, b) => compareCells(a.keys, b.keys));
  }
}

/** A row with two tags is in both of their groups. */
function combinations(all: readonly Cell[][]): Cell[][] {
  if (all.every(({ length }) => length === 1)) return [all.flat()];
  return all.reduce<Cell[][]>((some, cells) => some.flatMap((before) => cells.map((cell) => [...before, cell])), [[]]);
}
