/** Likely duplicates among the entries of a list, and the merge of each group. */

import type { CustomListEntry } from '../../contract/lists.ts';
import { urlOf } from '../../core/addresses.ts';
import { usage } from '../../core/errors.ts';
import { propertyOf } from '../../core/json.ts';
import { nearestHint } from '../../core/nearest.ts';
import { readInstant } from '../../core/periods.ts';
import { canonicalText, foldedText, groupBy, isEmptyValue, sameValue } from '../../core/same.ts';
import type { Attribute } from './options.ts';

export type Entry = CustomListEntry & { id: string };

/** The title or a value by which entries are compared, as a whole or by its words. */
interface LikenessKey {
  name: string;
  read(entry: Entry): string | undefined;
}

const wide = ['checkbox', 'select', 'status', 'multi_select', 'rating'];

/** @param written `website`, `title~`, several separated by `,` or `|` @throws usage for a field that cannot be a key */
export function likenessKeys(written: readonly string[], attributes: readonly Attribute[]): LikenessKey[] {
  const names = written.flatMap((names) => names.split(/[,|]/)).map((name) => name.trim());
  return names.map((full): LikenessKey => {
    const byWords = full.endsWith('~');
    const name = full.replace(/~$/, '');
    if (name === 'title') return { name: full, read: ({ title }) => keyOf(title, byWords) };
    const attribute = attributes.find(({ slug }) => slug === name);
    if (attribute === undefined) {
      const slugs = ['title', ...attributes.flatMap(({ slug }) => slug ?? [])];
      throw usage(
        `key ${full}: the list has no attribute "${name}"; it has: ${slugs.join(', ')}`,
        nearestHint(name, slugs),
      );
    }
    const type = attribute.attribute_type ?? 'text';
    if (wide.includes(type))
      throw usage(`key ${full}: many entries have the same ${type}, so it does not show duplicates`);
    if (byWords && type !== 'text')
      throw usage(`key ${full}: ~ compares words, and ${name} is a ${type}`, `compare ${name} itself`);
    return { name: full, read: ({ values }) => keyOf(propertyOf(values, name), byWords) };
  });
}

function keyOf(value: unknown, byWords: boolean): string | undefined {
  if (isEmptyValue(value) || Array.isArray(value)) return undefined;
  const text = canonicalText(value);
  return (byWords ? wordKey(text) : (webKey(text) ?? foldedText(text))) || undefined;
}

export interface Group {
  keeper: Entry;
  others: Entry[];
  keys: string[];
}

/** Groups of entries that share a key, directly or through a third entry, in the order of the list. */
export function duplicatesIn(
  entries: readonly Entry[],
  keys: readonly LikenessKey[],
  keep: KeepRule = 'oldest',
): Group[] {
  const parents = Array.from({ length: entries.length }, (_, at) => at);
  const names = new Map<number, Set<string>>();
  const rootOf = (at: number): number => {
    let root = at;
    while (parents[root] !== root) {
      // Halving the path keeps it short.
      parents[root] = parents[parents[root] as number] as number;
      root = parents[root] as number;
    }
    return root;
  };
  for (const { name, read } of keys) {
    const same = groupBy(entries.keys(), (at) => read(entries[at] as Entry));
    same.delete(undefined);
    for (const [a = 0, ...others] of same.values()) {
      for (const b of others) {
        const [first, second] = [rootOf(a), rootOf(b)].sort((x, y) => x - y) as [number, number];
        parents[second] = first;
        names.set(first, new Set([...(names.get(first) ?? []), ...(names.get(second) ?? []), name]));
      }
    }
  }
  const groups = [...groupBy(parents.keys(), rootOf)].filter(([, places]) => places.length > 1);
  return groups.map(([root, places]) => {
    const members = places.map((at) => entries[at] as Entry);
    const [keeper, ...others] = orderEntries(members, keep);
    return { keeper: keeper as Entry, others, keys: [...(names.get(root) ?? [])] };
  });
}

export const keepRules = ['oldest', 'newest', 'fullest'] as const;
type KeepRule = (typeof keepRules)[number];

/** Puts the entry to keep first. Entries without `created_at` are last, and equally full ones oldest first. */
function orderEntries(entries: Entry[], keep: KeepRule): Entry[] {
  const time = ({ created_at: at }: Entry) => (typeof at === 'string' ? readInstant(at) : undefined);
  const fullness = ({ values = {} }: Entry) => Object.values(values).filter((value) => !isEmptyValue(value)).length;
  // Among entries of one creation time, the last one is the newest.
  const inOrder = keep === 'newest' ? entries.reverse() : entries;
  return inOrder.sort((a, b) => {
    if (keep === 'fullest' && fullness(a) !== fullness(b)) return fullness(b) - fullness(a);
    const [left, right] = [time(a), time(b)];
    if (left === right) return 0;
    if (left === undefined || right === undefined) return left === undefined ? 1 : -1;
    return keep === 'newest' ? right - left : left - right;
  });
}

/** Differing values of one attribute; that of the remaining entry stays. */
interface Conflict {
  slug: string;
  value: unknown;
  others: { entry: Entry; value: unknown }[];
}

export interface Merge {
  values: Record<string, unknown>;
  conflicts: Conflict[];
}

/** Fills empty values from the first other entry that has one, and joins the options of a multi_select. */
export function mergeOf({ keeper, others }: Group, attributes: readonly Attribute[]): Merge {
  const values: [string, unknown][] = [];
  const conflicts: Conflict[] = [];
  for (const { slug, attribute_type } of attributes) {
    if (slug === undefined) continue;
    const before = propertyOf(keeper.values, slug);
    const filled = others.flatMap((entry) => {
      const value = propertyOf(entry.values, slug);
      return isEmptyValue(value) ? [] : [{ entry, value }];
    });
    if (filled.length === 0) continue;
    if (attribute_type === 'multi_select') {
      const all = [before, ...filled.map(({ value }) => value)].flatMap((value) =>
        Array.isArray(value) ? value : isEmptyValue(value) ? [] : [value],
      );
      const joined = [...new Set(all)];
      if (!sameValue(joined, before)) values.push([slug, joined]);
      continue;
    }
    const after = isEmptyValue(before) ? filled[0]?.value : before;
    if (isEmptyValue(before)) values.push([slug, after]);
    const differing = filled.filter(({ value }) => !sameValue(value, after) && !isSameAddress(value, after));
    if (differing.length > 0) conflicts.push({ slug, value: after, others: differing });
  }
  return { values: Object.fromEntries(values), conflicts };
}

function isSameAddress(a: unknown, b: unknown): boolean {
  return (
    typeof a === 'string' &&
    typeof b === 'string' &&
    foldedText(a).replace(/\/$/, '') === foldedText(b).replace(/\/$/, '')
  );
}

/** Hosts that serve pages of many companies; there the path identifies the company. */
const shared = new Set(
  'linkedin.com facebook.com instagram.com x.com twitter.com github.com gitlab.com youtube.com medium.com crunchbase.com wellfound.com angel.co notion.so notion.site docs.google.com sites.google.com drive.google.com apps.apple.com play.google.com linktr.ee producthunt.com'.split(
    ' ',
  ),
);

const bareDomain = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}\.?(?:\/\S*)?$/u;

/** `acme.com` of `https://www.Acme.com/about`; a page on a shared host keeps its path. Undefined for other texts. */
export function webKey(text: string): string | undefined {
  const written = text.trim();
  const address = bareDomain.test(written) ? `https://${written}` : written;
  const url = /^https?:\/\/[^\s/]+\.\S+$/i.test(address) ? urlOf(address) : undefined;
  if (!url) return undefined;
  const { hostname, pathname } = url;
  const host = hostname.replace(/\.$/, '').replace(/^(?:www\d?|m)\./, '');
  return shared.has(host.replace(/^[a-z]{2}\./, '')) ? `${host}${pathname.toLowerCase().replace(/\/+$/, '')}` : host;
}

const forms = new Set(
  'inc incorporated llc llp lp ltd limited plc corp corporation co company gmbh ag se kg ug ohg sa sas sarl srl spa bv nv ab as asa oy oyj aps pty pte kk sl'.split(
    ' ',
  ),
);

/** The words of a title in any order, without case, accents, punctuation and legal form. */
export function wordKey(title: string): string {
  const words = title
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('&', ' and ')
    .replace(/['’.]/g, '')
    // Müller, Mueller and Muller are one.
    .replace(/(?<![aeiouq])([aou])e/g, '$1')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  if (words.length > 1 && words[0] === 'the') words.shift();
  while (words.length > 1 && forms.has(words.at(-1) ?? '')) words.pop();
  return words.sort().join(' ');
}
