/** What a run of checks means for whoever waits for its exit code. */

import { Failure } from '../../core/errors.ts';
import type { Severity } from '../../domain/checks/model.ts';
import { counts, summary } from './reports/report.ts';
import type { Run } from './run-file.ts';

/**
 * Throws when the run is no pass: the reason for which data could not be read before all else, since a check that
 * could not run is never a pass, then `no` for checks that failed.
 */
export function judge({ results, unreadable }: Run, failOn: Severity): void {
  if (unreadable) {
    const missed = counts(results).error;
    throw new Failure(unreadable.kind, `${missed} of ${results.length} checks could not run: ${unreadable.message}`, {
      hint: unreadable.hint,
      status: unreadable.status,
      details: unreadable.details,
      request: unreadable.request,
      retryable: unreadable.retryable,
      cause: unreadable,
    });
  }
  const found = counts(results);
  const failed = found.fail + (failOn === 'warn' ? found.warn : 0);
  if (failed > 0) throw new Failure('no', `checks failed: ${summary(results)}`, { code: 'check_failed' });
}
