// Builds dist/: the program as CommonJS chunks that load on demand, `comem/client` and `comem/analysis` for scripts, and
// the help text.
//
// esbuild splits code for ESM alone, but a CommonJS program starts faster on Node. So the program is bundled as split
// ESM first, and then every chunk is turned into CommonJS, where `import()` becomes a `require` on demand.
import * as childProcess from 'node:child_process';
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build, transform } from 'esbuild';
import { link } from './link.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
// Made beside dist and moved there when it is whole, so that nobody runs half a build.
const stage = join(root, `.cache/dist-${process.pid}`);
const require = createRequire(import.meta.url);
const execFile = promisify(childProcess.execFile);

const common = { platform: 'node', target: 'node20.19', charset: 'utf8' };

/** Packages of every start. */
const hotPackages = {
  name: 'hot-packages',
  setup({ onResolve, onLoad }) {
    // commander asks for child_process at its start and never needs it here; loading it is a tenth of a start.
    const contents = "module.exports = { get spawn() { return require('node:child_process').spawn; } };";
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      importer.includes('/commander/') ? { path: 'child_process', namespace: 'lazy' } : undefined,
    );
    onLoad({ filter: /^child_process$/, namespace: 'lazy' }, () => ({ contents, loader: 'js' }));
    // undici speaks HTTP/2 when it is told to, and loads node:http2 for it in any case.
    onResolve({ filter: /^\.\/client-h2\.js$/ }, ({ importer, resolveDir }) =>
      importer.endsWith('dispatcher/client.js')
        ? { path: 'http2', namespace: 'lazy', pluginData: resolveDir }
        : undefined,
    );
    onLoad({ filter: /^http2$/, namespace: 'lazy' }, ({ pluginData: resolveDir }) => ({
      contents: "module.exports = (...all) => require('./client-h2.js')(...all);",
      resolveDir,
      loader: 'js',
    }));
    // Two thirds of their text are comments, which Node would read at every start.
    onLoad({ filter: /node_modules\/(commander|undici)\/.*\.js$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { ...common, minifyWhitespace: true });
      return { contents: code, loader: 'js' };
    });
  },
};

/** What package.json exports, by its name there. */
const library = { client: 'src/client/public.ts', analysis: 'src/domain/analysis/public.ts' };

await rm(stage, { recursive: true, force: true });
try {
  await bundle();
  await Promise.all([schema(), jq(), modules(), types(), help()]);
  if (process.argv.includes('--fresh')) await rm(dist, { recursive: true, force: true });
  await moveInto(dist);
} finally {
  await rm(stage, { recursive: true, force: true });
}

/**
 * Chunks first, then what names them. A program that runs already may still ask for a chunk of the build before, so
 * old ones go an hour later; a build with --fresh (the one that is packed) starts from nothing.
 */
async function moveInto(folder) {
  const files = await readdir(stage, { recursive: true, withFileTypes: true });
  const names = files.filter((file) => file.isFile()).map((file) => relative(stage, join(file.parentPath, file.name)));
  for (const name of names.toSorted((a, b) => Number(b.startsWith('chunks/')) - Number(a.startsWith('chunks/')))) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await rename(join(stage, name), join(folder, name));
  }
  const hourAgo = Date.now() - 3_600_000;
  const old = (await readdir(join(folder, 'chunks'))).filter((name) => !names.includes(join('chunks', name)));
  for (const name of old.filter((each) => each.endsWith('.js'))) {
    const path = join(folder, 'chunks', name);
    if ((await stat(path)).mtimeMs < hourAgo) await rm(path, { force: true });
  }
}

/** The program and what it exports, which share their chunks. */
async function bundle() {
  const { outputFiles, metafile } = await build({
    ...common,
    bundle: true,
    format: 'esm',
    splitting: true,
    // Native code stays outside, installed as a dependency.
    external: ['libsql', '@napi-rs/keyring'],
    entryPoints: { main: 'src/main.ts', ...library },
    absWorkingDir: root,
    outdir: dist,
    chunkNames: 'chunks/[name]-[hash]',
    legalComments: 'none',
    write: false,
    metafile: true,
    logLevel: 'warning',
    plugins: [hotPackages],
  });
  const outputs = Object.fromEntries(Object.entries(metafile.outputs).map(([path, output]) => [inDist(path), output]));
  for (const output of Object.values(outputs)) for (const each of output.imports) each.path = inDist(each.path);
  const texts = await Promise.all(
    outputFiles.map(async (file) => [inDist(relative(root, file.path)), await commonJs(file, outputs)]),
  );
  const { files, home } = link(new Map(texts), outputs);
  for (const [name, code] of files) {
    // What is exported goes by its extension in package.json.
    const isExported = Object.keys(library).some((exported) => name === `${exported}.js`);
    const file = join(stage, isExported ? name.replace(/\.js$/, '.cjs') : name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, code);
  }
  await mkdir(join(root, '.cache'), { recursive: true });
  await writeFile(join(root, '.cache/build.json'), JSON.stringify({ outputs, home: Object.fromEntries(home) }));
}

function inDist(path) {
  return path.replace(/^dist\//, '');
}

async function commonJs({ path, text }, outputs) {
  const inputs = Object.keys(outputs[inDist(relative(root, path))].inputs);
  const usesUrl = text.includes('import.meta.url');
  const { code: converted } = await transform(text, {
    ...common,
    format: 'cjs',
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': '__fileUrl' },
    // Packages alone: their blanks and line ends are a third of what Node would read at every start.
    minifyWhitespace: inputs.length > 0 && inputs.every((input) => /node_modules\/|^lazy:/.test(input)),
    // The library of charts is large, and nobody reads it here.
    minify: /\/chunks\/svg-/.test(path),
    banner: usesUrl ? "const __fileUrl = require('node:url').pathToFileURL(__filename).href;" : '',
  });
  // A chunk that is one CommonJS package exports it whole, so that `import()` of it finds its names as Node's own does.
  const isPackage = /(?:^|\n)export default require_\w+\(\);\s*$/.test(text);
  return isPackage ? `${converted}\nmodule.exports = stdin_default;\n` : converted;
}

/** What editors hold files against; tests hold each against the schema that the program reads by. */
async function schema() {
  await cp(join(root, 'src/server/seed/seed.schema.json'), join(stage, 'seed.schema.json'));
  await cp(join(root, 'src/domain/checks/checks.schema.json'), join(stage, 'checks.schema.json'));
  await cp(join(root, 'src/domain/list-code/list.schema.json'), join(stage, 'list.schema.json'));
}

/** jq looks for its WebAssembly beside the chunk that it is bundled into. */
async function jq() {
  const build = join(dirname(require.resolve('jq-wasm')), 'build');
  await cp(build, join(stage, 'chunks/build'), { recursive: true, filter: (path) => !path.endsWith('.ts') });
}

/** An ESM face of the same modules, so that `import` and `require` in one process meet the same classes. */
async function modules() {
  for (const exported of Object.keys(library)) {
    const names = Object.keys(require(join(stage, `${exported}.cjs`)));
    const text = `import all from './${exported}.cjs';\nexport const { ${names.join(', ')} } = all;\n`;
    await writeFile(join(stage, `${exported}.mjs`), text);
  }
}

/** The declarations that the exports reach, with one face for each module system. Errors are `npm run types`'s. */
async function types() {
  const emit = ['--declaration', '--emitDeclarationOnly', '--noEmit', 'false', '--noCheck', '--rootDir', 'src'];
  const rules = ['--strict', '--skipLibCheck', '--allowImportingTsExtensions', '--types', 'node'];
  const modules = ['--ignoreConfig', '--target', 'es2023', '--module', 'preserve', '--moduleResolution', 'bundler'];
  const entry = [...Object.values(library), 'src/client/undici.d.ts', '--outDir', join(stage, 'types')];
  await execFile(join(root, 'node_modules/.bin/tsc'), [...entry, ...emit, ...modules, ...rules], { cwd: root });
  // Behind the embedded API's dynamic import; no declaration of the client names it.
  await rm(join(stage, 'types/server'), { recursive: true, force: true });
  for (const [exported, source] of Object.entries(library)) {
    const text = `export * from './types/${source.replace('src/', '')}';\n`;
    await Promise.all(['mts', 'cts'].map((kind) => writeFile(join(stage, `${exported}.d.${kind}`), text)));
  }
}

/** What a bare `--help` prints without loading the program; a test holds it against the live help. */
async function help() {
  const code = `process.argv = ['', '', '--help']; require(${JSON.stringify(join(stage, 'main.js'))}).start()`;
  const { stdout } = await execFile(process.execPath, ['-e', code], { cwd: root });
  await writeFile(join(stage, 'help.txt'), stdout);
}
