/** The problems of a file as messages, and how the flags solve them. */

import { amount } from '../../../cli/words.ts';
import { Failure } from '../../../core/errors.ts';
import { type ImportIssue, inFileOrder, placeOf, type Remedy, type SourceTable } from '../../../domain/import/table.ts';

/** As many issues as a person can use; a message for each of 300,000 takes minutes and half a gigabyte. */
const mostListed = 1000;

/** @throws usage with the first issues, unless there is none */
export function refuse(issues: readonly ImportIssue[], name: string, table: SourceTable, hint?: string): void {
  if (issues.length === 0) return;
  const details = inFileOrder(issues)
    .slice(0, mostListed)
    .map((issue) => {
      const { remedy: _, ...rest } = issue;
      return { ...rest, message: messageOf(issue), path: placeOf(issue, table.lineUnit) };
    });
  const listed = issues.length > mostListed ? `, of which the first ${mostListed} are listed` : '';
  throw new Failure(
    'usage',
    `${name} cannot be imported: ${amount(issues.length, 'error', 'errors')}${listed}; nothing was written`,
    { code: 'invalid_file', details: { issues: details }, hint },
  );
}

export function messageOf({ message, remedy, column }: ImportIssue): string {
  return `${message}${remedy === undefined ? '' : howTo(remedy, column ?? 'COLUMN')}`;
}

/** The flags that solve an issue. */
function howTo(remedy: Remedy, column: string): string {
  switch (remedy) {
    case 'choose':
      return `; choose one with --map '${column}=SLUG'`;
    case 'name':
      return `; name it with --map '${column}=SLUG', or leave it out with --map '${column}='`;
    case 'own':
      return `; keep it as an attribute with --map '${column}=SLUG', or leave it out with --map '${column}='`;
    case 'option':
      return '; add it with --add-options';
    case 'leaveOut':
      return `; leave one out with --map '${column}='`;
    case 'match':
      return `; match it with --map '${column}=SLUG', leave it out with --map '${column}=', or add it with --create-attrs`;
    case 'title':
      return "; name its column with --map 'COLUMN=title'";
  }
}
