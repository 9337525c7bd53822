import type { Verbs } from '../../cli/define.ts';

export const verbs: Verbs = {
  get: () => import('./get.ts'),
  periods: () => import('./periods.ts'),
  diff: () => import('./diff.ts'),
  ledger: () => import('./ledger.ts'),
  report: () => import('./report.ts'),
};
