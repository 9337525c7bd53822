/** Rows that no request can carry, and values that no entry can hold, found before the first one is sent. */
import { maxBodyBytes, maxTitleCharacters, maxValueBytes } from '../../contract/rules.ts';
import { stringifyJson } from '../../core/json.ts';
import type { ImportColumn } from './columns.ts';
import type { ImportAction } from './plan.ts';
import type { ImportIssue } from './table.ts';

export function tooLarge(actions: Iterable<ImportAction>, columns: readonly ImportColumn[]): ImportIssue[] {
  const issues: ImportIssue[] = [];
  for (const action of actions) {
    if (!('body' in action)) continue;
    const { line, body } = action;
    const size = bytesOf(action.do === 'update' ? { id: action.id, ...body } : body);
    if (size > maxBodyBytes) {
      issues.push({ line, message: `the row is ${size} bytes as a request, and the API takes ${maxBodyBytes}` });
      continue;
    }
    if ((body.title?.length ?? 0) > maxTitleCharacters) {
      const column = columns.find(({ target }) => target.field === 'title')?.header;
      const message = `the title has ${body.title?.length} characters, and the API takes ${maxTitleCharacters}`;
      issues.push({ line, column, message });
    }
    // Most rows are smaller than one value may be.
    if (size <= maxValueBytes) continue;
    for (const [slug, value] of Object.entries(body.values ?? {})) {
      const bytes = bytesOf(value);
      if (bytes <= maxValueBytes) continue;
      const column = columns.find(({ target }) => target.field === 'value' && target.slug === slug)?.header;
      issues.push({ line, column, message: `the value is ${bytes} bytes, and the API takes ${maxValueBytes}` });
    }
  }
  return issues;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(typeof value === 'string' ? value : stringifyJson(value));
}
