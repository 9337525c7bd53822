import type { Verbs } from '../../cli/define.ts';

export const verbs: Verbs = {
  list: () => import('./list.ts'),
  get: () => import('./get.ts'),
  create: () => import('./create.ts'),
  update: () => import('./update.ts'),
  delete: () => import('./delete.ts'),
  'from-template': () => import('./from-template.ts'),
  pull: () => import('./pull.ts'),
  plan: () => import('./plan.ts'),
  apply: () => import('./apply.ts'),
  diff: () => import('./diff.ts'),
  copy: () => import('./copy.ts'),
};
