/** What flags assign to attributes, which may be named as in conditions: `values.position`, beside the entry's own. */
import { type Pair, pairs } from '../../cli/arguments.ts';

export const slugOf = (name: string): string => name.replace(/^values\./, '');

/** The pairs of `--set`, `--add` or `--remove`. */
export const assigned = (flagName: string, written: readonly string[] | undefined): Pair[] =>
  pairs(flagName, written).map((pair) => ({ ...pair, key: slugOf(pair.key) }));
