/** The nouns, in the order of help, and how to load each. */
import type { Noun } from '../cli/define.ts';

export const nouns: Record<string, Noun> = {
  lists: { summary: 'Custom lists', load: () => import('./lists/index.ts') },
  attrs: { summary: 'Attributes: the typed columns of a list', load: () => import('./attrs/index.ts') },
  entries: { summary: 'Entries: the rows of a list', load: () => import('./entries/index.ts') },
  metrics: {
    summary: 'Company metrics: live values, catalog, series, preferences',
    load: () => import('./metrics/index.ts'),
  },
  grants: { summary: 'Metric grants: who may read what', load: () => import('./grants/index.ts') },
  published: { summary: 'Metrics that other companies published to you', load: () => import('./published/index.ts') },
  sql: { summary: 'SQL over lists and metrics', load: () => import('./sql/index.ts') },
  api: { summary: 'Send any request to the API', load: () => import('./api/index.ts') },
  check: { summary: 'Checks of lists, metrics and grants, for CI', load: () => import('./check/index.ts') },
  history: { summary: 'Show what was written with this profile', load: () => import('./history/index.ts') },
  undo: { summary: 'Revert what a run created, changed or deleted', load: () => import('./undo/index.ts') },
  auth: { summary: 'Credentials: log in, see what is used and why, log out', load: () => import('./auth/index.ts') },
  profiles: { summary: 'Profiles: addresses, credentials, guard rails', load: () => import('./profiles/index.ts') },
  companies: { summary: 'Short names for companies', load: () => import('./companies/index.ts') },
  server: {
    summary: 'The embedded API: serve it, fill it, copy it',
    load: () => import('./server/index.ts'),
  },
  doctor: {
    summary: 'Find problems: settings, credentials, network, clock',
    load: () => import('./doctor/index.ts'),
  },
  completion: { summary: 'Completion for bash, zsh and fish', load: () => import('./completion/index.ts') },
  tour: { summary: 'comem in five minutes, on demo data', load: () => import('./tour/index.ts') },
  help: { summary: 'Help on a noun, a verb or a topic', load: () => import('./help/index.ts') },
};

/** A first word that means noun and verb. */
export const shortcuts: Record<string, readonly string[]> = { serve: ['server', 'start'] };
