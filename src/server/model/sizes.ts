/** Limits of content (docs/server.md, "Limits"), so that no request takes the memory of all others. */
import { maxTitleCharacters, maxValueBytes } from '../../contract/rules.ts';
import type { JsonSchema } from '../../contract/schema.ts';
import { type Issue, maxIssues } from '../../contract/validate.ts';
import { isNumeric, stringifyJson } from '../../core/json.ts';
import type { StoredConfig } from './attribute.ts';

/** Bytes of the title and all values of an entry. */
const maxEntryBytes = 1024 * 1024;
/** Options of an attribute, removed ones included; items of any other array. */
const maxItems = 10_000;
/** Bytes of the rows of a page: it ends early, but not before its first row. */
export const maxPageBytes = 4 * 1024 * 1024;

/** Texts and arrays of a body that are too large. Values of entries have limits of their own. */
export function sizeIssues(schema: JsonSchema, body: Record<string, unknown>): Issue[] {
  const problems: Issue[] = [];
  for (const [name, { format }] of Object.entries(schema.properties ?? {})) {
    // A text of fixed length, and values, have limits of their own.
    if (format !== undefined || name === 'values' || !Object.hasOwn(body, name)) continue;
    visit(body[name], name, problems);
  }
  return problems.slice(0, maxIssues);
}

function visit(value: unknown, path: string, problems: Issue[]): void {
  if (typeof value === 'string') {
    const message = textIssue(value);
    if (message !== undefined) problems.push({ path, message });
  } else if (Array.isArray(value)) {
    if (value.length > maxItems) {
      problems.push({ path, message: `must have at most ${maxItems} items, got ${value.length}` });
      return;
    }
    for (const [index, item] of value.entries()) visit(item, `${path}.${index}`, problems);
  } else if (typeof value === 'object' && value !== null && !isNumeric(value)) {
    for (const [name, item] of Object.entries(value)) visit(item, `${path}.${name}`, problems);
  }
}

function textIssue(text: string): string | undefined {
  // A character has one or two units: most texts need no counting.
  if (text.length <= maxTitleCharacters) return undefined;
  const length = [...text].length;
  return length > maxTitleCharacters ? `must have at most ${maxTitleCharacters} characters, got ${length}` : undefined;
}

/** Values of a write, and the entry that they make, which may shrink although it is too large. */
export function entryIssues(
  written: Record<string, unknown>,
  after: { title: string; values: Record<string, unknown> },
  before: { title: string; values: Record<string, unknown> } | undefined,
): Issue[] {
  const problems: Issue[] = [];
  for (const [slug, value] of Object.entries(written)) {
    const bytes = bytesOf(value);
    if (bytes > maxValueBytes) {
      problems.push({ path: `values.${slug}`, message: `must have at most ${maxValueBytes} bytes, got ${bytes}` });
    }
  }
  const bytes = entryBytes(after);
  if (bytes > maxEntryBytes && (before === undefined || bytes > entryBytes(before))) {
    problems.push({
      path: 'values',
      message: `make an entry of ${bytes} bytes, and at most ${maxEntryBytes} are allowed`,
    });
  }
  return problems;
}

function entryBytes({ title, values }: { title: string; values: Record<string, unknown> }): number {
  return Buffer.byteLength(title) + bytesOf(values);
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(typeof value === 'string' ? value : stringifyJson(value));
}

/** Removed options count, because values may still name them. */
export function optionIssues({ options = [], retired = [] }: StoredConfig): Issue[] {
  const count = options.length + retired.length;
  if (count <= maxItems) return [];
  const removed = retired.length > 0 ? ` with the ${retired.length} that were removed` : '';
  return [{ path: 'config.options', message: `must be at most ${maxItems}, got ${count}${removed}` }];
}

/** As many of the rows as fit into the bytes, and at least one of them (docs/server.md, "Limits"). */
export function fitting<Row>(rows: readonly Row[], most: number, bytesOf: (row: Row) => number): readonly Row[] {
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += bytesOf(row);
    return index > 0 && bytes > most;
  });
  return end < 0 ? rows : rows.slice(0, end);
}
