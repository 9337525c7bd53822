import type { Verbs } from '../../cli/define.ts';

export const verbs: Verbs = {
  login: () => import('./login.ts'),
  status: () => import('./status.ts'),
  logout: () => import('./logout.ts'),
};
