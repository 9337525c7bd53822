import type { Verbs } from '../../cli/define.ts';

export const verbs: Verbs = {
  '': () => import('./run.ts'),
  entries: () => import('./entries.ts'),
  init: () => import('./init.ts'),
  lint: () => import('./lint.ts'),
};
