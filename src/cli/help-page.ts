/** A page of help as blocks, and how it is shortened to one screen. */

/** The most lines of a page without `--long`. */
export const pageLines = 40;

export interface Block {
  title?: string;
  /** Lines of each item. A block without items is left out. */
  items: readonly (readonly string[])[];
  /** Not separated from the block above by an empty line. */
  tight?: boolean;
  /** Left out first when the page is too long. */
  optional?: boolean;
  /** How many items are shown at the most, and how many stay when the page is too long. */
  most?: number;
  least?: number;
  /** The name of each item, by which it is mentioned if it finds no room; undefined for one that stays. */
  names?: readonly (string | undefined)[];
}

export function textOf(blocks: readonly Block[]): string {
  const lines = linesOf(blocks);
  return `${lines.join('\n')}\n`;
}

function linesOf(blocks: readonly Block[]): string[] {
  return blocks
    .filter(({ items }) => items.length > 0)
    .flatMap(({ title, items, tight }, at) => [
      ...(at > 0 && !tight ? [''] : []),
      ...(title === undefined ? [] : [title]),
      ...items.flat(),
    ]);
}

/**
 * The blocks on one screen: first optional ones go, then examples, then flags from the end of the longest group, and
 * then from the end. `listed` lays out the names of those that do not fit.
 */
export function fitted(
  given: readonly Block[],
  listed: (names: readonly string[]) => readonly string[] = () => [],
): Block[] {
  let blocks = given.map((block) => ({ ...block, items: block.items.slice(0, block.most) }));
  const left = new Set<string>();
  const all = given.flatMap(({ names = [] }) => names.filter((name) => name !== undefined));
  const page = (): Block[] => {
    const last = blocks.findLastIndex(({ names }) => names !== undefined);
    const names = all.filter((name) => left.has(name));
    const more: Block = { title: 'MORE FLAGS', items: names.length > 0 ? [listed(names)] : [] };
    return [...blocks.slice(0, last + 1), more, ...blocks.slice(last + 1)];
  };
  while (linesOf(page()).length > pageLines) {
    const optional = blocks.findIndex((block) => block.optional);
    if (optional >= 0) {
      blocks = blocks.filter((_, at) => at !== optional);
      continue;
    }
    const long = blocks.find(({ items, least }) => least !== undefined && items.length > least);
    const shorter = long ?? longestNamed(blocks) ?? blocks.findLast(canShrink);
    if (shorter === undefined) break;
    const gone = shorter.names?.[shorter.items.length - 1];
    if (gone !== undefined) left.add(gone);
    shorter.items = shorter.items.slice(0, -1);
  }
  return page();
}

/** A group of fewer flags is not worth its heading. */
const fewest = 2;

function longestNamed<B extends Block>(blocks: readonly B[]): B | undefined {
  const able = blocks.filter((block) => block.items.length > fewest && canShrink(block));
  return able.sort((one, other) => one.items.flat().length - other.items.flat().length).at(-1);
}

function canShrink({ items, names }: Block): boolean {
  return names?.[items.length - 1] !== undefined;
}
