import type { Verbs } from '../../cli/command/define.ts';

export const verbs: Verbs = { '': () => import('./doctor.ts') };
