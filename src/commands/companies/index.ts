import type { Verbs } from '../../cli/command/define.ts';

export const verbs: Verbs = {
  list: () => import('./list.ts'),
  add: () => import('./add.ts'),
  remove: () => import('./remove.ts'),
};
