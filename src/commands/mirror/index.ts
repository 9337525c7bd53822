import type { Verbs } from '../../cli/define.ts';

export const verbs: Verbs = {
  sync: () => import('./sync.ts'),
  diff: () => import('./diff.ts'),
};
