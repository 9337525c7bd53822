import type { Verbs } from '../../cli/define.ts';

export const verbs: Verbs = {
  list: () => import('./list.ts'),
  create: () => import('./create.ts'),
  update: () => import('./update.ts'),
  delete: () => import('./delete.ts'),
};
