import type { Verbs } from '../../cli/define.ts';

export const verbs: Verbs = {
  sync: () => import('./sync.ts'),
  status: () => import('./status.ts'),
  log: () => import('./log.ts'),
  prune: () => import('./prune.ts'),
  verify: () => import('./verify.ts'),
  diff: () => import('./diff.ts'),
};
