import type { Verbs } from '../../cli/define.ts';

export const verbs: Verbs = {
  list: () => import('./list.ts'),
  get: () => import('./get.ts'),
  use: () => import('./use.ts'),
  set: () => import('./set.ts'),
  rename: () => import('./rename.ts'),
  delete: () => import('./delete.ts'),
};
