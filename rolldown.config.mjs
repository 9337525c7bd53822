// The program and its libraries as CommonJS chunks. scripts/build.mjs adds types, schemas, help and licences.
import { defineConfig } from 'rolldown';

/** What package.json exports, by its name there. */
export const libraries = { client: 'src/client/public.ts', analysis: 'src/domain/analysis/public.ts' };

export default defineConfig({
  input: { main: 'src/main.ts', 'sql-engine': 'src/sql-engine.ts', ...libraries },
  platform: 'node',
  // Compiled code, which npm installs: native for the machine, or larger than all of ours.
  external: ['libsql', '@napi-rs/keyring', '@resvg/resvg-wasm'],
  transform: { target: 'node20.19' },
  output: {
    cleanDir: true,
    format: 'cjs',
    // A dynamic import is a `require` too: it needs no second module loader.
    dynamicImportInCjs: false,
    entryFileNames: ({ name }) => (name in libraries ? '[name].cjs' : '[name].js'),
    chunkFileNames: 'chunks/[name]-[hash].js',
    // Maps give stack traces their lines in src. The code is not minified, so maps need no copy of the sources.
    sourcemap: true,
    sourcemapExcludeSources: true,
    comments: { jsdoc: false },
    // What every start loads, what most commands load, and what all requests load, is one file each. Node 22 and later read
    // each file twice.
    codeSplitting: {
      groups: [
        { name: 'start', test: /[\\/]cli[\\/](applies|report|route|runtime)\.ts$/ },
        { name: 'common', test: /^(?!.*(node_modules|decimal\.ts))/, minShareCount: 40 },
        {
          name: 'request',
          test: /[\\/](cli[\\/](run-context|make-client|completion[\\/](keep|names))|client[\\/](body|reply|answer))\.ts$/,
        },
      ],
    },
  },
});
