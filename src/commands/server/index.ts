import type { Verbs } from '../../cli/define.ts';

export const verbs: Verbs = {
  start: () => import('./start.ts'),
  load: () => import('./load.ts'),
  dump: () => import('./dump.ts'),
  backup: () => import('./backup.ts'),
  reset: () => import('./reset.ts'),
  credentials: () => import('./credentials.ts'),
  'keys create': () => import('./keys-create.ts'),
  'keys list': () => import('./keys-list.ts'),
  'keys revoke': () => import('./keys-revoke.ts'),
  openapi: () => import('./openapi.ts'),
};
