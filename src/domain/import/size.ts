/** Rows that no request can carry, found before the first one is sent. */
import { maxBodyBytes } from '../../contract/rules.ts';
import { stringifyJson } from '../../core/json.ts';
import type { ImportAction } from './plan.ts';
import type { ImportIssue } from './table.ts';

export function tooLarge(actions: Iterable<ImportAction>): ImportIssue[] {
  const issues: ImportIssue[] = [];
  for (const action of actions) {
    if (!('body' in action)) continue;
    const size = Buffer.byteLength(
      stringifyJson(action.do === 'update' ? { id: action.id, ...action.body } : action.body),
    );
    if (size <= maxBodyBytes) continue;
    const message = `the row is ${size} bytes as a request, and the API takes ${maxBodyBytes}`;
    issues.push({ line: action.line, message });
  }
  return issues;
}
