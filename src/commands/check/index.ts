import type { Verbs } from '../../cli/command/define.ts';

export const verbs: Verbs = {
  '': () => import('./run.ts'),
  entries: () => import('./entries.ts'),
  init: () => import('./init.ts'),
  lint: () => import('./lint.ts'),
};
