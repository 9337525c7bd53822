/** The values of flags of an import, which help lists without loading the import. */
import type { TsvEscapes } from '../../core/tsv.ts';

export const textFormats = ['csv', 'tsv', 'json', 'ndjson', 'yaml'] as const;
export const rowFormats = [...textFormats, 'xlsx'] as const;

/** What happens to rows that are new, to rows that are there, and to entries that the file lacks. */
export const importModes = ['upsert', 'insert', 'update', 'sync'] as const;

export const tsvEscapes = ['backslash', 'none'] as const satisfies TsvEscapes[];
