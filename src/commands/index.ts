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

/** A command that `changes` replaced. */
async function earlier(name: keyof typeof import('./changes/earlier-names.ts')) {
  const commands = await import('./changes/earlier-names.ts');
  return { default: commands[name] };
}

const nouns: Record<string, Noun> = {
  lists: {
    summary: 'Custom lists',
    group: 'DATA',
    related: ['attrs', 'entries', 'check'],
    verbs: {
      list: () => import('./lists/list.ts'),
      get: () => import('./lists/get.ts'),
      create: () => import('./lists/create.ts'),
      update: () => import('./lists/update.ts'),
      delete: () => import('./lists/delete.ts'),
      'from-template': () => import('./lists/from-template.ts'),
      pull: () => import('./lists/pull.ts'),
      plan: () => import('./lists/plan.ts'),
      apply: () => import('./lists/apply.ts'),
      diff: () => import('./lists/diff.ts'),
      copy: () => import('./lists/copy.ts'),
    },
  },
  attrs: {
    summary: 'Attributes: the typed columns of a list',
    group: 'DATA',
    brief: 'The columns of a list',
    related: ['lists', 'entries'],
    verbs: {
      list: () => import('./attrs/list.ts'),
      create: () => import('./attrs/create.ts'),
      update: () => import('./attrs/update.ts'),
      delete: () => import('./attrs/delete.ts'),
    },
  },
  entries: {
    summary: 'Entries: the rows of a list',
    group: 'DATA',
    brief: 'The rows of a list',
    related: ['lists', 'attrs', 'history', 'undo'],
    verbs: {
      list: () => import('./entries/list.ts'),
      count: () => import('./entries/count.ts'),
      summarize: () => import('./entries/summarize.ts'),
      get: () => import('./entries/get.ts'),
      history: () => import('./entries/history.ts'),
      funnel: () => import('./entries/funnel.ts'),
      create: () => import('./entries/create.ts'),
      update: () => import('./entries/update.ts'),
      import: () => import('./entries/import.ts'),
      archive: () => import('./entries/archive.ts'),
      unarchive: async () => ({ default: (await import('./entries/archive.ts')).unarchive }),
      dedupe: () => import('./entries/dedupe.ts'),
      delete: () => import('./entries/delete.ts'),
      step: () => import('./entries/step.ts'),
    },
  },
  metrics: {
    summary: 'Company metrics: live values, catalog, series, preferences',
    group: 'DATA',
    brief: 'Values, history, charts',
    related: ['published', 'grants', 'companies', 'check'],
    verbs: {
      live: () => import('./metrics/live.ts'),
      catalog: () => import('./metrics/catalog.ts'),
      series: () => import('./metrics/series.ts'),
      get: () => import('./metrics/get.ts'),
      table: () => import('./metrics/table.ts'),
      chart: () => import('./metrics/chart.ts'),
      board: () => import('./metrics/board.ts'),
      bridge: () => import('./metrics/bridge.ts'),
      variance: () => import('./metrics/variance.ts'),
      growth: () => import('./metrics/growth.ts'),
      gaps: () => import('./metrics/gaps.ts'),
      diff: () => earlier('metricsDiff'),
      restatements: () => earlier('metricsRestatements'),
      load: () => import('./metrics/load.ts'),
      'prefs get': () => import('./metrics/prefs-get.ts'),
      'prefs set': () => import('./metrics/prefs-set.ts'),
    },
  },
  grants: {
    summary: 'Metric grants: who may read what',
    group: 'DATA',
    brief: 'Who may read which metrics',
    related: ['metrics', 'published', 'companies'],
    verbs: {
      list: () => import('./grants/list.ts'),
      get: () => import('./grants/get.ts'),
      create: () => import('./grants/create.ts'),
      revoke: () => import('./grants/revoke.ts'),
      audit: () => import('./grants/audit.ts'),
      matrix: () => import('./grants/matrix.ts'),
      expiring: () => import('./grants/expiring.ts'),
    },
  },
  published: {
    summary: 'Metrics published to you, and what others read of yours',
    group: 'DATA',
    brief: 'Metrics published to you',
    related: ['metrics', 'grants', 'companies'],
    verbs: {
      get: () => import('./published/get.ts'),
      periods: () => import('./published/periods.ts'),
      diff: () => import('./published/diff.ts'),
      ledger: () => import('./published/ledger.ts'),
      report: () => import('./published/report.ts'),
    },
  },
  sql: {
    summary: 'SQL over lists and metrics',
    group: 'DATA',
    related: ['entries', 'metrics'],
    verbs: { '': () => import('./sql/sql.ts') },
  },
  changes: {
    summary: 'What changed, and when',
    group: 'DATA',
    related: ['mirror', 'entries', 'metrics', 'published'],
    verbs: { '': () => import('./changes/changes.ts') },
  },
  mirror: {
    summary: 'A local mirror of the API, with its history',
    group: 'DATA',
    brief: 'A local copy with history',
    related: ['lists', 'metrics', 'sql'],
    verbs: {
      sync: () => import('./mirror/sync.ts'),
      status: () => import('./mirror/status.ts'),
      log: () => earlier('mirrorLog'),
      diff: () => earlier('mirrorDiff'),
    },
  },
  api: {
    summary: 'Send any request to the API',
    group: 'AUTOMATION',
    brief: 'Any request to the API',
    related: ['auth', 'server'],
    verbs: { '': () => import('./api.ts') },
  },
  check: {
    summary: 'Checks of lists, metrics and grants, for CI',
    group: 'AUTOMATION',
    brief: 'Checks of data, for CI',
    related: ['lists', 'metrics', 'grants'],
    verbs: {
      '': () => import('./check/run.ts'),
      entries: () => import('./check/entries.ts'),
      init: () => import('./check/init.ts'),
      lint: () => import('./check/lint.ts'),
    },
  },
  history: {
    summary: 'Show what was written with this profile',
    group: 'AUTOMATION',
    brief: 'What was written',
    related: ['undo'],
    verbs: { '': () => import('./history.ts') },
  },
  undo: {
    summary: 'Revert what a run created, changed or deleted',
    group: 'AUTOMATION',
    brief: 'Revert what a run wrote',
    related: ['history'],
    verbs: { '': () => import('./undo/undo.ts') },
  },
  init: {
    summary: 'Set up a profile: a company of your own, or an API',
    brief: 'Set up a profile',
    related: ['auth', 'profiles', 'server'],
    withoutProfile: true,
    verbs: { '': () => import('./init.ts') },
  },
  auth: {
    summary: 'Credentials: log in, see what is used and why, log out',
    brief: 'Log in, see the status',
    related: ['profiles', 'doctor'],
    verbs: {
      login: () => import('./auth/login.ts'),
      status: () => import('./auth/status.ts'),
      logout: () => import('./auth/logout.ts'),
    },
  },
  profiles: {
    summary: 'Profiles: addresses, credentials, guard rails',
    brief: 'Addresses and guard rails',
    related: ['auth', 'companies'],
    withoutProfile: true,
    verbs: {
      list: () => import('./profiles/list.ts'),
      get: () => import('./profiles/get.ts'),
      use: () => import('./profiles/use.ts'),
      set: () => import('./profiles/set.ts'),
      rename: () => import('./profiles/rename.ts'),
      delete: () => import('./profiles/delete.ts'),
    },
  },
  companies: {
    summary: 'Companies and groups, by short names',
    brief: 'Companies and groups',
    group: 'DATA',
    related: ['profiles', 'metrics', 'published'],
    verbs: {
      list: () => import('./companies/list.ts'),
      add: () => import('./companies/add.ts'),
      remove: () => import('./companies/remove.ts'),
      set: () => import('./companies/set.ts'),
      'group add': () => import('./companies/group-add.ts'),
      'group remove': () => import('./companies/group-remove.ts'),
      'group list': () => import('./companies/group-list.ts'),
    },
  },
  server: {
    summary: 'The embedded API: serve it, fill it, copy it',
    brief: 'The embedded API',
    related: ['api', 'profiles'],
    withoutProfile: true,
    verbs: {
      start: () => import('./server/start.ts'),
      load: () => import('./server/load.ts'),
      dump: () => import('./server/dump.ts'),
      backup: () => import('./server/backup.ts'),
      reset: () => import('./server/reset.ts'),
      credentials: () => import('./server/credentials.ts'),
      'keys create': () => import('./server/keys-create.ts'),
      'keys list': () => import('./server/keys-list.ts'),
      'keys revoke': () => import('./server/keys-revoke.ts'),
      openapi: () => import('./server/openapi.ts'),
    },
  },
  doctor: {
    summary: 'Find problems: settings, credentials, network, clock',
    brief: 'Find problems of the setup',
    related: ['auth', 'profiles'],
    verbs: { '': () => import('./doctor.ts') },
  },
  completion: {
    summary: 'Completion for bash, zsh, fish and PowerShell',
    brief: 'Completion in your shell',
    related: ['help'],
    withoutProfile: true,
    verbs: {
      '': () => import('./completion/completion.ts'),
      install: () => import('./completion/install.ts'),
      uninstall: () => import('./completion/uninstall.ts'),
    },
  },
  tour: {
    summary: 'comem in five minutes, on demo data',
    brief: 'comem in five minutes',
    related: ['help', 'server'],
    withoutProfile: true,
    verbs: { '': () => import('./tour.ts') },
  },
  help: {
    summary: 'Help on a noun, a verb or a topic',
    brief: 'Help on words and topics',
    related: ['completion', 'tour'],
    withoutProfile: true,
    verbs: { '': () => import('./help.ts') },
  },
};

/** A first word that means noun and verb. */
const shortcuts: Record<string, readonly string[]> = {
  serve: ['server', 'start'],
  login: ['auth', 'login'],
  logout: ['auth', 'logout'],
  whoami: ['auth', 'status'],
};

/** Hints by code, for failures of layers that know no commands and flags. */
export const hints: Readonly<Record<string, string>> = {
  empty: '--fail-empty makes this a failure',
  mixed_encodings:
    'repair the bytes of the line, or name the encoding of the whole file, such as --encoding windows-1252',
  other_encoding: 'name the encoding that it has with --encoding, or omit the flag',
  not_a_workbook: 'if only the extension is wrong, give --format FORMAT',
  unknown_metric: 'run `comem metrics catalog` to list the metrics',
  no_mirrored_list: '`comem mirror status` shows what it has',
  order_in_condition: 'a condition has no order: --sort KEY[:desc] does that',
  sort_in_condition: 'a condition has no order: --sort KEY[:desc] does that',
  group_in_condition: 'a condition has no groups: --by KEY does that',
  limit_in_condition: 'a condition has no limit: --limit N does that',
  aggregate_in_condition:
    'use `comem sql` to compare rows with an aggregate; `comem entries summarize` prints aggregates',
  existing_option: 'run `comem lists pull` and `comem lists apply` to change the order of options',
  computed_field: 'use `comem sql` to compute columns',
  sql_table: "run `comem sql --tables` to list the tables; pragma_table_info('TABLE') has the columns of one",
  sql_write: 'use `comem entries create`, `import`, `update` or `delete`',
};

export const tree: Tree = {
  about,
  nouns,
  shortcuts,
  otherNames: () => import('./other-names.ts'),
  pickers: () => import('./pickers.ts'),
};
