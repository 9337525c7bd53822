import type { Verbs } from '../../cli/define.ts';

export const verbs: Verbs = { '': () => import('./undo.ts') };
