/** Flags that every way of running checks takes. */

import { flag, inGroup } from '../../cli/define.ts';
import { severities } from '../../domain/checks/model.ts';

/** Looked for where no -f is given. */
export const defaultFile = 'comem.checks.yaml';

export const baselineFlags = {
  baseline: flag.text('FILE', 'what an earlier run found: only new findings fail'),
  updateBaseline: flag.boolean('write what is found now to the baseline'),
};

export const reportFlags = inGroup('REPORT', {
  report: flag.list('FORMAT[=FILE]', 'table, json, junit, github, sarif, md'),
  failOn: flag.text('error|warn', 'the least severity that fails the run; default error', { choices: severities }),
  maxFindings: flag.integer('N', 'show at most N findings of each check; default 10', { minimum: 0 }),
});
