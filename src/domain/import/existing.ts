/** The entries that a list has when an import is planned. */
import type { CustomListEntry } from '../../contract/lists.ts';
import { KeyIndex } from '../../core/key-index.ts';
import { isEmptyValue } from '../../core/same.ts';
import type { Rows } from '../../core/spool.ts';
import type { KeyTarget } from './columns.ts';
import { keyText } from './rows.ts';

export type Entry = CustomListEntry & { id: string };

/** The value by which an entry is found; undefined where it has none. */
export function entryKey(entry: Partial<CustomListEntry>, target: KeyTarget): string | undefined {
  const value = target.field === 'value' ? ownValue(entry.values, target.slug) : entry[target.field];
  return isEmptyValue(value) ? undefined : keyText(target, value);
}

/** Entries found by their keys, of which only hashes are kept. */
export class EntriesByKey {
  private readonly index = new KeyIndex();
  private readonly taken: Uint8Array;
  private last: number | undefined = -1;

  constructor(
    private readonly entries: Rows<Partial<CustomListEntry>>,
    private readonly target: KeyTarget,
  ) {
    this.taken = new Uint8Array(entries.length);
    let place = 0;
    for (const entry of entries) {
      if (hasId(entry)) {
        const key = entryKey(entry, target);
        if (key !== undefined) this.index.add(key, place);
        const { position } = entry;
        const isKnown = this.last !== undefined && position !== undefined && position !== null;
        this.last = isKnown ? Math.max(this.last ?? -1, Number(position)) : undefined;
      }
      place += 1;
    }
  }

  /**
   * New entries are sent several at a time and may arrive in any order, so each names its place: the order of the file,
   * after the existing entries. Undefined if the server does not report positions.
   */
  get nextPosition(): number | undefined {
    return Number.isSafeInteger(this.last) ? Number(this.last) + 1 : undefined;
  }

  /** The entries with the key, which are not left any more. */
  take(key: string): Entry[] {
    return this.index.find(key).flatMap((place): Entry[] => {
      const entry = this.entries.at(place);
      if (entry === undefined || !hasId(entry) || entryKey(entry, this.target) !== key) return [];
      this.taken[place] = 1;
      return [entry];
    });
  }

  /** Entries that no row had the key of. */
  *left(): Generator<Entry> {
    let place = 0;
    for (const entry of this.entries) {
      if (hasId(entry) && this.taken[place] === 0) yield entry;
      place += 1;
    }
  }
}

function hasId(entry: Partial<CustomListEntry>): entry is Entry {
  return typeof entry.id === 'string';
}

export function ownValue(values: Record<string, unknown> | undefined, slug: string): unknown {
  return values !== undefined && values !== null && Object.hasOwn(values, slug) ? values[slug] : undefined;
}
