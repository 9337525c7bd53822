/** The command tree: what the program is, its nouns in the order of help, and how to load each. */
import type { About, Noun, Tree } from '../cli/tree.ts';

const about: About = {
  summary: 'Custom lists and company metrics from the command line',
  description:
    'comem reads and writes the custom lists and company metrics of a company-memory platform, and serves the same API itself for trials and tests. Data goes to stdout; notes, warnings and errors go to stderr. Flags may appear anywhere in the command line.',
  examples: [
    { run: 'comem -p demo lists list', says: 'the lists of the demo company' },
    { run: 'comem -p demo metrics series --last 12', says: 'twelve months of every metric' },
    { run: 'comem init', says: 'your own company, or the address of an API' },
  ],
};

const nouns: Record<string, Noun> = {
  lists: {
    summary: 'Custom lists',
    group: 'DATA',
    related: ['attrs', 'entries', 'check'],
    ofProfile: true,
    load: () => import('./lists/index.ts'),
  },
  attrs: {
    summary: 'Attributes: the typed columns of a list',
    group: 'DATA',
    brief: 'The columns of a list',
    related: ['lists', 'entries'],
    ofProfile: true,
    load: () => import('./attrs/index.ts'),
  },
  entries: {
    summary: 'Entries: the rows of a list',
    group: 'DATA',
    brief: 'The rows of a list',
    related: ['lists', 'attrs', 'history', 'undo'],
    ofProfile: true,
    load: () => import('./entries/index.ts'),
  },
  metrics: {
    summary: 'Company metrics: live values, catalog, series, preferences',
    group: 'DATA',
    brief: 'Values, history, charts',
    related: ['published', 'grants', 'companies', 'check'],
    ofProfile: true,
    load: () => import('./metrics/index.ts'),
  },
  grants: {
    summary: 'Metric grants: who may read what',
    group: 'DATA',
    brief: 'Who may read which metrics',
    related: ['metrics', 'published', 'companies'],
    ofProfile: true,
    load: () => import('./grants/index.ts'),
  },
  published: {
    summary: 'Metrics that other companies published to you',
    group: 'DATA',
    brief: 'Metrics published to you',
    related: ['metrics', 'grants', 'companies'],
    ofProfile: true,
    load: () => import('./published/index.ts'),
  },
  sql: {
    summary: 'SQL over lists and metrics',
    group: 'DATA',
    related: ['entries', 'metrics'],
    ofProfile: true,
    load: () => import('./sql/index.ts'),
  },
  changes: {
    summary: 'What changed, and when',
    group: 'DATA',
    related: ['mirror', 'entries', 'metrics', 'published'],
    ofProfile: true,
    load: () => import('./changes/index.ts'),
  },
  mirror: {
    summary: 'A local mirror of the API, with its history',
    group: 'DATA',
    brief: 'A local copy with history',
    related: ['lists', 'metrics', 'sql'],
    load: () => import('./mirror/index.ts'),
  },
  api: {
    summary: 'Send any request to the API',
    group: 'AUTOMATION',
    brief: 'Any request to the API',
    related: ['auth', 'server'],
    ofProfile: true,
    load: () => import('./api/index.ts'),
  },
  check: {
    summary: 'Checks of lists, metrics and grants, for CI',
    group: 'AUTOMATION',
    brief: 'Checks of data, for CI',
    related: ['lists', 'metrics', 'grants'],
    ofProfile: true,
    load: () => import('./check/index.ts'),
  },
  history: {
    summary: 'Show what was written with this profile',
    group: 'AUTOMATION',
    brief: 'What was written',
    related: ['undo'],
    ofProfile: true,
    load: () => import('./history/index.ts'),
  },
  undo: {
    summary: 'Revert what a run created, changed or deleted',
    group: 'AUTOMATION',
    brief: 'Revert what a run wrote',
    related: ['history'],
    ofProfile: true,
    load: () => import('./undo/index.ts'),
  },
  init: {
    summary: 'Set up a profile: an own company, or an API',
    brief: 'Set up a profile',
    related: ['auth', 'profiles', 'server'],
    load: () => import('./init/index.ts'),
  },
  auth: {
    summary: 'Credentials: log in, see what is used and why, log out',
    brief: 'Log in, see the status',
    related: ['profiles', 'doctor'],
    load: () => import('./auth/index.ts'),
  },
  profiles: {
    summary: 'Profiles: addresses, credentials, guard rails',
    brief: 'Addresses and guard rails',
    related: ['auth', 'companies'],
    load: () => import('./profiles/index.ts'),
  },
  companies: {
    summary: 'Companies and groups, by short names',
    brief: 'Companies and groups',
    group: 'DATA',
    related: ['profiles', 'metrics', 'published'],
    ofProfile: true,
    load: () => import('./companies/index.ts'),
  },
  server: {
    summary: 'The embedded API: serve it, fill it, copy it',
    brief: 'The embedded API',
    related: ['api', 'profiles'],
    load: () => import('./server/index.ts'),
  },
  doctor: {
    summary: 'Find problems: settings, credentials, network, clock',
    brief: 'Find problems of the setup',
    related: ['auth', 'profiles'],
    load: () => import('./doctor/index.ts'),
  },
  completion: {
    summary: 'Completion for bash, zsh, fish and PowerShell',
    brief: 'Completion in your shell',
    related: ['help'],
    load: () => import('./completion/index.ts'),
  },
  tour: {
    summary: 'comem in five minutes, on demo data',
    brief: 'comem in five minutes',
    related: ['help', 'server'],
    load: () => import('./tour/index.ts'),
  },
  help: {
    summary: 'Help on a noun, a verb or a topic',
    brief: 'Help on words and topics',
    related: ['completion', 'tour'],
    load: () => import('./help/index.ts'),
  },
};

/** A first word that means noun and verb. */
const shortcuts: Record<string, readonly string[]> = {
  serve: ['server', 'start'],
  login: ['auth', 'login'],
  logout: ['auth', 'logout'],
  whoami: ['auth', 'status'],
};

export const tree: Tree = {
  about,
  nouns,
  shortcuts,
  otherNames: () => import('./other-names.ts'),
  pickers: () => import('./pickers.ts'),
};
