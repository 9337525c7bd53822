import { createHash } from 'node:crypto';

/** Of this project alone, so that its ids meet no other's. */
const namespace = Buffer.from('6f1c7a52d0b84e0f9b3d2f0a51c8e477', 'hex');

/**
 * A UUID made from names: the same names give the same id everywhere (RFC 9562, version 5). Parts are kept apart, so
 * that `a, bc` is not `ab, c`.
 */
export function stableId(...parts: readonly (string | number | null)[]): string {
  const hash = createHash('sha1').update(namespace).update(JSON.stringify(parts)).digest().subarray(0, 16);
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
