// Builds dist/ from nothing, and THIRD-PARTY-NOTICES beside it. `--dir DIR` builds into another folder, and
// `--builtin-sqlite` for a Node whose own SQLite takes the place of the package.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { build } from 'rolldown';
import config, { libraries } from '../rolldown.config.mjs';
import { notices } from './notices.mjs';

const run = promisify(execFile);

/** The JSON Schemas of users' files, for editors: the module and its function that gives the document. */
const schemas = {
  seed: ['src/server/seed/seed.ts', 'seedSchemaDocument'],
  checks: ['src/domain/checks/check-file.ts', 'checkSchemaDocument'],
  list: ['src/domain/list-code/spec.ts', 'listSchemaDocument'],
};

/** Files that are copied: target and source. */
const files = {
  // jq-wasm reads it from the folder of its chunk.
  'chunks/build/jq.wasm': 'node_modules/jq-wasm/dist/build/jq.wasm',
  'chunks/demo.ndjson': 'src/server/demo.ndjson',
  'chunks/demo-mirror.ndjson': 'src/mirror/demo-mirror.ndjson',
  // The font of pictures in pixels.
  'chunks/Roboto-Regular.woff': 'node_modules/roboto-fontface/fonts/roboto/Roboto-Regular.woff',
};

const { values } = parseArgs({
  options: { dir: { type: 'string', default: 'dist' }, 'builtin-sqlite': { type: 'boolean', default: false } },
  strict: false,
});
const dist = resolve(values.dir);
const builtin = values['builtin-sqlite'] && {
  external: config.external.filter((name) => name !== '@photostructure/sqlite'),
  resolve: { alias: { '@photostructure/sqlite': 'node:sqlite' } },
};
const { output } = await build({ ...config, ...builtin, output: { ...config.output, dir: dist } });
const chunks = output.filter(({ type }) => type === 'chunk');
const bundled = [...chunks.flatMap(({ moduleIds }) => moduleIds), ...Object.values(files).map((from) => resolve(from))];
await Promise.all([
  ...chunks.filter(isForeign).map(({ fileName, map }) => writeFile(join(dist, `${fileName}.map`), sourcesOf(map))),
  writeFile(join(dist, '../THIRD-PARTY-NOTICES'), notices(bundled)),
  ...Object.entries(files).map(([to, from]) => cp(from, join(dist, to))),
  ...Object.keys(libraries).map(writeFaces),
  writeTypes(),
  writeSchemas(),
]);

/** Whether a chunk has no line of src that a stack trace could show. */
function isForeign({ map, moduleIds }) {
  return map && moduleIds.every((id) => !id.startsWith(resolve('src')));
}

/** A source map without its mappings, which are most of it: the modules of the chunk. */
function sourcesOf({ file, sources }) {
  return JSON.stringify({ version: 3, file, sources, names: [], mappings: '' });
}

/** What `import` and a compiler load. ES modules share the CommonJS code, so that a class exists once. */
async function writeFaces(name) {
  const { exports } = chunks.find(({ fileName }) => fileName === `${name}.cjs`);
  await writeFile(join(dist, `${name}.mjs`), `export { ${exports.join(', ')} } from './${name}.cjs';\n`);
  const types = `export * from './types/${libraries[name].replace('src/', '')}';\n`;
  for (const kind of ['mts', 'cts']) await writeFile(join(dist, `${name}.d.${kind}`), types);
}

/** The declarations that the libraries reach; `npm run types` reports errors. */
async function writeTypes() {
  const types = join(dist, 'types');
  const emit = ['--declaration', '--emitDeclarationOnly', '--noCheck', '--rootDir', 'src', '--outDir', types];
  const modules = ['--ignoreConfig', '--module', 'preserve', '--target', 'es2023', '--allowImportingTsExtensions'];
  await run('node_modules/.bin/tsc', [...Object.values(libraries), ...emit, ...modules, '--types', 'node']);
  // The client imports it dynamically, and names none of its types.
  await rm(join(types, 'server'), { recursive: true, force: true });
}

/** The schemas that the program reads files by. */
async function writeSchemas() {
  const input = Object.fromEntries(Object.entries(schemas).map(([name, [module]]) => [name, module]));
  const dir = await mkdtemp(join(tmpdir(), 'comem-schemas-'));
  await build({ ...config, input, output: { dir, format: 'cjs' } });
  const require = createRequire(import.meta.url);
  for (const [name, [, document]] of Object.entries(schemas)) {
    const text = JSON.stringify(require(join(dir, `${name}.js`))[document](), undefined, 2);
    await writeFile(join(dist, `${name}.schema.json`), `${text}\n`);
  }
  await rm(dir, { recursive: true });
}
