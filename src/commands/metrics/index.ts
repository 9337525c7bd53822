import type { Verbs } from '../../cli/define.ts';

export const verbs: Verbs = {
  live: () => import('./live.ts'),
  catalog: () => import('./catalog.ts'),
  series: () => import('./series.ts'),
  'prefs get': () => import('./prefs-get.ts'),
  'prefs set': () => import('./prefs-set.ts'),
};
