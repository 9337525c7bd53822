import type { Verbs } from '../../cli/command/define.ts';

export const verbs: Verbs = {
  login: () => import('./login.ts'),
  status: () => import('./status.ts'),
  logout: () => import('./logout.ts'),
};
