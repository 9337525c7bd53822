/** Positional arguments that many commands take, in the same words. */
import type { Argument } from './define.ts';

const list = { name: 'LIST', summary: 'a uuid, a slug or an exact name' } as const satisfies Argument;
const attr = { name: 'ATTR', summary: 'a uuid, a slug or an exact name' } as const satisfies Argument;
const entry = { name: 'ENTRY', summary: 'a uuid or an exact title' } as const satisfies Argument;
const entries = { ...entry, summary: 'uuids or exact titles', variadic: true } as const satisfies Argument;

const someEntries = {
  ...entries,
  summary: 'uuids or exact titles; - reads them from stdin, one a line',
  optional: true,
} as const satisfies Argument;

export const targets = { list, attr, entry, someEntries };
