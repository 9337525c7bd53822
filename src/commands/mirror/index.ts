import type { Verbs } from '../../cli/define.ts';

export const verbs: Verbs = {
  sync: () => import('./sync.ts'),
  status: () => import('./status.ts'),
  log: () => import('./log.ts'),
  diff: () => import('./diff.ts'),
};
