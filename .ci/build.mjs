// Builds dist/: the program as CommonJS chunks that load on demand, `comem/client` and `comem/analysis` for scripts, and
// the help text.
//
// esbuild splits code for ESM alone, but a CommonJS program starts faster on Node. So the program is bundled as split
// ESM first, and then every chunk is turned into CommonJS, where `import()` becomes a `require` on demand.
import * as childProcess from 'node:child_process';
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build, transform } from 'esbuild';
import { isPackage, link } from './link.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
// Made beside dist and moved there when it is whole, so that nobody runs half a build.
const stage = join(root, `.cache/dist-${process.pid}`);
const require = createRequire(import.meta.url);
const execFile = promisify(childProcess.execFile);

const common = { platform: 'node', target: 'node20.19', charset: 'utf8' };

/** Native code stays outside, installed as a dependency. */
const external = ['libsql', '@napi-rs/keyring'];

/**
 * What packages of every start get in the place of modules that they ask for and never need here, each a fiftieth of a
 * start or more. What a package throws or starts by them still gets the real ones.
 */
const standIns = [
  {
    module: /^node:child_process$/,
    of: /\/commander\//,
    contents: "module.exports = { get spawn() { return require('node:child_process').spawn; } };",
  },
  // Help is printed from the commands (src/cli/help); commander's own is never asked for.
  {
    module: /\/help\.js$/,
    of: /\/commander\//,
    contents: 'exports.Help = class Help {}; exports.stripColor = (text) => text;',
  },
  // Loading it makes `process.stderr` too.
  {
    module: /^node:assert$/,
    of: /\/undici\//,
    contents: "module.exports = (ok, ...rest) => { if (!ok) require('node:assert')(ok, ...rest); };",
  },
  // A limit of headers, which is Node's own, and the class of a body that nobody sends.
  {
    module: /^node:http$/,
    of: /\/undici\//,
    contents: 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} };',
  },
  // undici speaks HTTP/2 when it is told to, and takes forms as bodies; comem does neither, and a fifth of the text that
  // is read before a request would be for it.
  {
    module: /\/(client-h2|fetch\/body)\.js$/,
    of: /\/undici\/lib\/dispatcher\/client(-h1)?\.js$/,
    contents: `const none = () => { throw new Error('comem was built without HTTP/2 and forms of undici'); };
module.exports = Object.assign(none, { extractBody: none });`,
  },
  // Tables are laid out with characters of one cell alone (src/output/formats/layout.ts), whose width is their number:
  // the library's own measure compiles a regular expression of all emoji for it.
  { module: /^string-width$/, of: /\/cli-table3\//, contents: 'module.exports = (text) => text.length;' },
];

/** Packages of every start. */
const hotPackages = {
  name: 'hot-packages',
  setup({ onResolve, onLoad }) {
    for (const [index, { module, of, contents }] of standIns.entries()) {
      const namespace = `stand-in-${index}`;
      onResolve({ filter: module }, ({ path, importer }) => (of.test(importer) ? { path, namespace } : undefined));
      onLoad({ filter: /./, namespace }, () => ({ contents, loader: 'js' }));
    }
    // Its parser, twice as base64 in the text: read as the bytes that it is, and only the one that this machine runs.
    onLoad({ filter: /undici\/lib\/llhttp\/llhttp(_simd)?-wasm\.js$/ }, ({ path }) => ({
      contents: `const { join } = require('node:path');
Object.defineProperty(module, 'exports', {
  get: () => require('node:fs').readFileSync(join(__dirname, '${posix.basename(path, '.js')}')),
});`,
      loader: 'js',
    }));
    // Two thirds of their text are comments, blanks and long names, which Node would read at every start.
    onLoad({ filter: /node_modules\/(commander|undici|cli-table3)\/.*\.js$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { ...common, minify: true });
      return { contents: code, loader: 'js' };
    });
  },
};

/** What package.json exports, by its name there. */
const library = { client: 'src/client/public.ts', analysis: 'src/domain/analysis/public.ts' };

await rm(stage, { recursive: true, force: true });
try {
  await bundle();
  await Promise.all([schema(), jq(), llhttp(), modules(), types(), help()]);
  if (process.argv.includes('--fresh')) await rm(dist, { recursive: true, force: true });
  await moveInto(dist);
} finally {
  // Where one part failed the others may still be writing.
  await rm(stage, { recursive: true, force: true, maxRetries: 5 });
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
    external,
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
  const texts = new Map(outputFiles.map((file) => [inDist(relative(root, file.path)), file.text]));
  const alone = (name, text) => commonJs(name, text, Object.keys(outputs[name].inputs));
  const { files, home } = await link(texts, outputs, alone, { ...common, external });
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

async function commonJs(name, text, inputs) {
  const usesUrl = text.includes('import.meta.url');
  const { code: converted } = await transform(text, {
    ...common,
    format: 'cjs',
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': '__fileUrl' },
    // Packages alone: their blanks and line ends are a third of what Node would read at every start.
    minifyWhitespace: inputs.length > 0 && inputs.every((input) => /node_modules\/|^stand-in-/.test(input)),
    // The library of charts is large, and nobody reads it here.
    minify: /^chunks\/svg-/.test(name),
    banner: usesUrl ? "const __fileUrl = require('node:url').pathToFileURL(__filename).href;" : '',
  });
  return isPackage(text) ? `${converted}\nmodule.exports = stdin_default;\n` : converted;
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

/** undici's parser, beside the chunk that looks for it. */
async function llhttp() {
  for (const name of ['llhttp-wasm', 'llhttp_simd-wasm']) {
    await writeFile(join(stage, 'chunks', name), require(`undici/lib/llhttp/${name}.js`));
  }
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
