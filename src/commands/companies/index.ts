import type { Verbs } from '../../cli/define.ts';

export const verbs: Verbs = {
  list: () => import('./list.ts'),
  add: () => import('./add.ts'),
  remove: () => import('./remove.ts'),
  set: () => import('./set.ts'),
  'group add': () => import('./group-add.ts'),
  'group remove': () => import('./group-remove.ts'),
  'group list': () => import('./group-list.ts'),
};
