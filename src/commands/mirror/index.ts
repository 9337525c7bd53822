import type { Verbs } from '../../cli/define.ts';

export const verbs: Verbs = {
  diff: () => import('./diff.ts'),
};
