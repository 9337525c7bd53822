/** The pages of `--help` as the build keeps them, for bin/comem.js to print without loading the program. */
import { helpOf, widest } from './help.ts';
import { type Tree, verbsOf } from './tree.ts';

/** The width of a page without a terminal, and of one on a wide screen. */
const widths = [80, widest];

/** By width, and then by the words before `--help`. */
export type HelpPages = Record<number, Record<string, string>>;

/** The pages of a noun, its groups of verbs and its verbs; without a noun, that of the program. */
export async function helpPages(tree: Tree, noun?: string): Promise<HelpPages> {
  const verbs = noun === undefined ? [] : Object.keys(await verbsOf(tree, noun));
  const paths = verbs.flatMap((verb) => verb.split(' ').map((_, at, words) => words.slice(0, at + 1).join(' ')));
  const all = [...new Set(['', ...paths])].map((path) => [noun ?? '', path].join(' ').trim());
  const pagesOf = async (columns: number) => {
    const pages = all.map(
      async (path) => [path, await helpOf(tree, path.split(' ').filter(Boolean), columns)] as const,
    );
    return [columns, Object.fromEntries(await Promise.all(pages))] as const;
  };
  return Object.fromEntries(await Promise.all(widths.map(pagesOf)));
}
