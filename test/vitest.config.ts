import { defineConfig } from 'vitest/config';
import { programs } from './helpers/postgres.ts';

/** What stands on a database, so that it is tested on both engines. */
const onBothEngines = [
  'test/server/{api,isolation,kills,scale,entries,lists,metrics,processes,seed/load,demo/demo}.test.ts',
  'test/e2e/{lists,attrs,entries,metrics,grants,published,api}.test.ts',
  'test/commands/{lists,attrs,entries,grants,published,metrics}/*.test.ts',
];

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    globalSetup: 'test/helpers/global-setup.ts',
    setupFiles: 'test/helpers/setup.ts',
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [
      { extends: true, test: { name: 'comem', include: ['test/**/*.test.ts'] } },
      // Without PostgreSQL's programs one skipped test says so (test/server/postgres.test.ts).
      ...(programs === undefined
        ? []
        : [
            {
              extends: true as const,
              test: { name: 'postgres', include: onBothEngines, env: { COMEM_TEST_ENGINE: 'postgres' } },
            },
          ]),
    ],
  },
});
