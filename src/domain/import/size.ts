/** Rows that no request can carry, found before the first one is sent. */
import { maxBodyBytes } from '../../contract/rules.ts';
import { stringifyJson } from '../../core/json.ts';
import type { ImportAction } from './plan.ts';
import type { ImportIssue } from './table.ts';

export function tooLarge(actions: readonly ImportAction[]): ImportIssue[] {
  return actions.flatMap((action): ImportIssue[] => {
    if (!('body' in action)) return [];
    const size = Buffer.byteLength(
      stringifyJson(action.do === 'update' ? { id: action.id, ...action.body } : action.body),
    );
    if (size <= maxBodyBytes) return [];
    return [{ line: action.line, message: `the row is ${size} bytes as a request, and the API takes ${maxBodyBytes}` }];
  });
}
