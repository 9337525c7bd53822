import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './helpers/longest-first.ts';
import { pgbouncer, programs } from './helpers/postgres.ts';

/** What depends on the database, so that it is tested on both engines. */
const endToEnd = 'test/e2e/{lists,attrs,entries,metrics,grants,published,api}.test.ts';
const onBothEngines = [
  'test/server/{api,isolation,kills,scale,entries,lists,metrics,processes,seed/load,demo}.test.ts',
  endToEnd,
  'test/commands/{lists,attrs,entries,grants,published,metrics}/*.test.ts',
];

/** What is tested behind PgBouncer too, where it is installed. */
const behindBouncer = ['test/server/{api,isolation,entries,lists,metrics,processes,seed/load}.test.ts', endToEnd];

/** Tests of PostgreSQL itself; each says so by name where its programs are missing. */
const ofPostgres = [
  'test/server/postgres.test.ts',
  'test/server/pgbouncer.test.ts',
  'test/server/{bad-databases,failover,failovers,replica,rolling,restore,previous-release,monitoring-postgres}.test.ts',
  'test/commands/server/postgres.test.ts',
];

/** Tests that start processes or servers. */
const ofProcesses = ['e2e', 'server', 'interop', 'fault'].map((folder) => `test/${folder}/**/*.test.ts`);

/**
 * Tests in process that take seconds: statements in a second program, large values and files, hostile texts, lost
 * answers, whole databases, a browser.
 */
const slow = [
  'test/commands/sql/{attacks,sql,list-columns,figures}.test.ts',
  'test/commands/{hostile-texts,answers,words,undo/lost,lists/code,mirror/sync,mirror/as-of,past/past}.test.ts',
  'test/commands/{server/serve,server/database,metrics/kept,metrics/series-values}.test.ts',
  'test/commands/entries/{import,import/faults,import/failed,import/round-trip}.test.ts',
  'test/domain/import/sheet.test.ts',
  'test/core/same-numbers.test.ts',
  'test/output/{stream,long-text,values,chart/page}.test.ts',
];

/**
 * Long comparisons with other software, measurements of memory, tests of endurance, and of what is packed: `.ci/run` runs
 * them. `COMEM_FAULTS=whole` takes all of what `npm test` takes a part of.
 */
const long = [
  'test/server/{scale,kills,checkpoint-kills}.test.ts',
  'test/fault/attacks.test.ts',
  'test/commands/sql/attacks.test.ts',
  'test/interop/{totals,analysis}.test.ts',
  'test/e2e/{import-kills,undo-kills,mirror-kills}.test.ts',
  'test/e2e/{check-memory,import-memory,server-dump-memory,server-load-memory,server-memory,sql-rows}.test.ts',
  'test/e2e/{action,build,container,package,single}.test.ts',
];

/**
 * `npm run test:fast` is `fast`, `npm test` adds `program`, and `npm run test:all` is every project.
 */
export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    globalSetup: 'test/helpers/global-setup.ts',
    setupFiles: 'test/helpers/setup.ts',
    reporters: ['default', './test/helpers/skips.ts'],
    // One more than there are cores: half of the time of some tests is waiting for a process or a retry.
    maxWorkers: availableParallelism() + 1,
    // What tests share is loaded once for a worker; helpers/after-file.ts closes what a file opened.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: { name: 'fast', include: ['test/**/*.test.ts'], exclude: [...ofProcesses, ...ofPostgres, ...slow] },
      },
      {
        extends: true,
        test: { name: 'program', include: [...ofProcesses, ...slow], exclude: [...long, ...ofPostgres] },
      },
      { extends: true, test: { name: 'long', include: long } },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: [...ofPostgres, ...(programs === undefined ? [] : onBothEngines)],
          env: { COMEM_TEST_ENGINE: 'postgres' },
        },
      },
      {
        extends: true,
        test: {
          name: 'pgbouncer',
          include: programs === undefined || pgbouncer === undefined ? [] : behindBouncer,
          env: { COMEM_TEST_ENGINE: 'pgbouncer' },
        },
      },
    ],
  },
});
