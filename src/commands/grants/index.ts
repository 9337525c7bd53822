import type { Verbs } from '../../cli/define.ts';

export const verbs: Verbs = {
  list: () => import('./list.ts'),
  get: () => import('./get.ts'),
  create: () => import('./create.ts'),
  revoke: () => import('./revoke.ts'),
  audit: () => import('./audit.ts'),
  matrix: () => import('./matrix.ts'),
  expiring: () => import('./expiring.ts'),
};
