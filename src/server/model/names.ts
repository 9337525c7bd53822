/** Slugs and ids that are derived from names. */
import { createHash } from 'node:crypto';

/** Longer names are cut: a slug appears in URLs and column headers. */
const longest = 80;

/** Lower-case ASCII, digits and hyphens; `fallback` when nothing of the name is left. */
export function slugOf(name: string, fallback: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longest)
    .replace(/^-+|-+$/g, '');
  return slug === '' ? fallback : slug;
}

/** The slug, or the slug with `-2`, `-3`, … when it exists already. */
export function freeSlug(slug: string, taken: ReadonlySet<string>): string {
  if (!taken.has(slug)) return slug;
  for (let number = 2; ; number += 1) {
    if (!taken.has(`${slug}-${number}`)) return `${slug}-${number}`;
  }
}

/** Used only by this project, so that its ids differ from all others. */
const namespace = Buffer.from('6f1c7a52d0b84e0f9b3d2f0a51c8e477', 'hex');

/**
 * A UUID derived from names: the same names give the same id everywhere (RFC 9562, version 5). `a, bc` and `ab, c`
 * differ.
 */
export function stableId(...parts: readonly (string | number | null)[]): string {
  const hash = createHash('sha1').update(namespace).update(JSON.stringify(parts)).digest().subarray(0, 16);
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
