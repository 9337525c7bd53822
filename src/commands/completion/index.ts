import type { Verbs } from '../../cli/define.ts';

export const verbs: Verbs = {
  '': () => import('./completion.ts'),
  install: () => import('./install.ts'),
  uninstall: () => import('./uninstall.ts'),
};
