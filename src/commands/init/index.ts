import type { Verbs } from '../../cli/define.ts';

export const verbs: Verbs = { '': () => import('./init.ts') };
