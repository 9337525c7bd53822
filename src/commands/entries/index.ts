import type { Verbs } from '../../cli/define.ts';

export const verbs: Verbs = {
  list: () => import('./list.ts'),
  count: () => import('./count.ts'),
  summarize: () => import('./summarize.ts'),
  get: () => import('./get.ts'),
  history: () => import('./history.ts'),
  funnel: () => import('./funnel.ts'),
  create: () => import('./create.ts'),
  update: () => import('./update.ts'),
  import: () => import('./import.ts'),
  archive: () => import('./archive.ts'),
  unarchive: () => import('./unarchive.ts'),
  dedupe: () => import('./dedupe.ts'),
  delete: () => import('./delete.ts'),
  step: () => import('./step.ts'),
};
