import type { Verbs } from '../../cli/define.ts';

export const verbs: Verbs = {
  list: () => import('./list.ts'),
  add: () => import('./add.ts'),
  remove: () => import('./remove.ts'),
};
