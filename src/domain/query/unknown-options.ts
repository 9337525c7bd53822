/** Options that conditions name and columns do not have: a row may still hold one that was removed. */
import { type Failure, usage } from '../../core/errors.ts';
import type { UnknownOption } from '../expression/literals.ts';
import type { Scope } from '../expression/typed.ts';

/** Ids of removed options that a hint lists. */
const mostListed = 5;

export class UnknownOptions<Row> {
  /** The options that no row holds so far, by column and text. */
  private readonly missing = new Map<string, Map<string, UnknownOption>>();
  /** Ids in rows that are no options of their columns. */
  private readonly removed = new Map<string, Set<string>>();

  constructor(
    private readonly scope: Scope<Row>,
    options: Iterable<UnknownOption>,
  ) {
    for (const option of options) {
      const ofColumn = this.missing.get(option.column) ?? new Map<string, UnknownOption>();
      if (!ofColumn.has(option.text)) ofColumn.set(option.text, option);
      this.missing.set(option.column, ofColumn);
      this.removed.set(option.column, new Set());
    }
  }

  get isEmpty(): boolean {
    return this.missing.size === 0;
  }

  read(row: Row): void {
    for (const [name, options] of this.missing) {
      const column = this.scope.column(name);
      for (const id of [column?.get(row)].flat()) {
        if (typeof id !== 'string') continue;
        options.delete(id);
        const removed = this.removed.get(name);
        if (removed && removed.size < mostListed && column?.options?.every((option) => option.id !== id) !== false)
          removed.add(id);
      }
      if (options.size === 0) this.missing.delete(name);
    }
  }

  /** The failure for the first option that no row holds. */
  failure(): Failure | undefined {
    for (const [name, options] of this.missing) {
      for (const { failure } of options.values()) {
        const { message, hint } = failure();
        const ids = [...(this.removed.get(name) ?? [])];
        const ofRows = `options that were removed are named by their ids: ${ids.join(', ')}`;
        return usage(message, ids.length === 0 ? hint : ofRows);
      }
    }
    return undefined;
  }
}
