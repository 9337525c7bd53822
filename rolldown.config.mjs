// The program and its libraries as CommonJS chunks. scripts/build.mjs adds types, schemas and licences.
import { defineConfig } from 'rolldown';

/** What package.json exports, by its name there. */
export const libraries = { client: 'src/client/public.ts' };

export default defineConfig({
  input: { main: 'src/main.ts', 'sql-engine': 'src/sql-engine.ts', ...libraries },
  platform: 'node',
  // Compiled code, which npm installs: native for the machine, or larger than all of ours.
  external: ['@photostructure/sqlite', '@napi-rs/keyring', '@resvg/resvg-wasm'],
  // What is imported late may be in a file that is loaded early.
  checks: { ineffectiveDynamicImport: false },
  transform: { target: 'node20.19' },
  output: {
    cleanDir: true,
    format: 'cjs',
    // A dynamic import is a `require` too: it needs no second module loader.
    dynamicImportInCjs: false,
    entryFileNames: ({ name }) => (name in libraries ? '[name].cjs' : '[name].js'),
    chunkFileNames: 'chunks/[name]-[hash].js',
    // Maps give stack traces their lines in src (COMEM_DEBUG); a copy of the sources would double the package.
    sourcemap: true,
    sourcemapExcludeSources: true,
    comments: { jsdoc: false, legal: false },
    // What most command lines load is few files: finding and opening one takes as long as compiling it.
    codeSplitting: {
      groups: [
        { name: 'start', test: /[\\/]cli[\\/](applies|report|route|runtime)\.ts$/ },
        { name: 'common', test: /^(?!.*(node_modules|decimal\.ts))/, minShareCount: 40 },
        {
          name: 'request',
          test: /[\\/](cli[\\/](run-context|make-client|completion[\\/]names)|client[\\/]answer|output[\\/](screen-column|write[\\/]rows))\.ts$/,
        },
        // Apart from our own code, whose source map is kept.
        { name: 're2', test: /node_modules[\\/]re2js[\\/]/ },
        { name: 'prometheus', test: /node_modules[\\/](prom-client|tdigest|bintrees|@opentelemetry)[\\/]/ },
        { name: 'table', test: /[\\/](formats[\\/]table\.ts|cli-table3[\\/].*)$/ },
      ],
    },
  },
});
