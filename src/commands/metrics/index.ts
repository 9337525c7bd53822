import type { Verbs } from '../../cli/define.ts';

export const verbs: Verbs = {
  live: () => import('./live.ts'),
  catalog: () => import('./catalog.ts'),
  series: () => import('./series.ts'),
  get: () => import('./get.ts'),
  table: () => import('./table.ts'),
  chart: () => import('./chart.ts'),
  board: () => import('./board.ts'),
  bridge: () => import('./bridge.ts'),
  variance: () => import('./variance.ts'),
  growth: () => import('./growth.ts'),
  gaps: () => import('./gaps.ts'),
  diff: () => import('./diff.ts'),
  restatements: () => import('./restatements.ts'),
  load: () => import('./load.ts'),
  'prefs get': () => import('./prefs-get.ts'),
  'prefs set': () => import('./prefs-set.ts'),
};
