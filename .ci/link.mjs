// Puts chunks that are always loaded together into one file with one scope. On Node 20, where no compile cache exists,
// every file of a start costs a third of a millisecond to find, read and compile, and a command would load thirty; and
// between modules every name that is used goes through a getter, and every module brings the same twenty lines.
import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { build } from 'esbuild';

/** Chunks by the sources that they begin with, in the order in which they are given out; the first file is main.js. */
const groups = [
  { name: 'main', roots: ['src/main.ts', 'src/cli/help.ts'], share: 0.25 },
  { name: 'context', roots: ['src/cli/run-context.ts', 'src/cli/make-client.ts'] },
  { name: 'undici', roots: ['node_modules/undici/lib/dispatcher/client.js'], minify: true },
  { name: 'table', roots: ['src/output/formats/table.ts', 'node_modules/cli-table3/index.js'], minify: true },
];

/**
 * @param {Map<string, string>} chunks ESM text by name relative to dist (`main.js`, `chunks/list-ABC.js`)
 * @param {Record<string, { entryPoint?: string, imports: { path: string, kind: string }[], exports: string[] }>} outputs
 *   of esbuild's metafile, by the same names
 * @param {(name: string, text: string) => Promise<string>} commonJs turns a chunk that stays alone into CommonJS
 * @param {object} options of esbuild
 * @returns {Promise<{ files: Map<string, string>, home: Map<string, string> }>} text by file, and the file of each chunk
 */
export async function link(chunks, outputs, commonJs, options) {
  const groupOf = new Map();
  for (const group of groups) {
    for (const name of members(group, outputs)) if (!groupOf.has(name)) groupOf.set(name, group.name);
  }
  const fileOf = new Map(groups.map(({ name }) => [name, groupFile(name, chunks, groupOf)]));
  const home = new Map([...chunks.keys()].map((name) => [name, fileOf.get(groupOf.get(name)) ?? name]));
  const alone = [...chunks].filter(([name]) => !groupOf.has(name));
  const grouped = groups.map(async ({ name: group, minify }) => {
    const names = [...chunks.keys()].filter((name) => groupOf.get(name) === group);
    const file = fileOf.get(group);
    const text = await hoisted(names, chunks, outputs, { ...options, minifyWhitespace: minify });
    return [file, placed(`${text}${exportsOf(group)}`, file, home)];
  });
  const single = alone.map(async ([name, text]) => [name, placed(await commonJs(name, text), name, home, name)]);
  return { files: new Map(await Promise.all([...grouped, ...single])), home };
}

function members({ roots, share }, outputs) {
  const begins = Object.keys(outputs).filter((name) => roots.includes(outputs[name].entryPoint));
  const found = new Set(begins.flatMap((name) => [...closure(name, outputs)]));
  if (share === undefined) return found;
  const commands = Object.keys(outputs).filter((name) =>
    /^src\/commands\/.*\/(?!index)/.test(outputs[name].entryPoint ?? ''),
  );
  const uses = new Map();
  for (const command of commands) {
    for (const name of closure(command, outputs)) uses.set(name, (uses.get(name) ?? 0) + 1);
  }
  for (const [name, count] of uses) if (count > commands.length * share) found.add(name);
  return found;
}

/** A chunk and all that it imports before it runs. */
function closure(name, outputs, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const { path, kind } of outputs[name].imports) {
    if (kind === 'import-statement' && outputs[path]) closure(path, outputs, found);
  }
  return found;
}

/** With a hash of what is in it, so that a program that runs while a build goes on finds what it was built with. */
function groupFile(group, chunks, groupOf) {
  if (group === 'main') return 'main.js';
  const hash = createHash('sha256');
  for (const [name, text] of chunks) if (groupOf.get(name) === group) hash.update(name).update(text);
  return `chunks/${group}-${hash.digest('hex').slice(0, 8).toUpperCase()}.js`;
}

/**
 * The chunks as one CommonJS module in which names are used without detours, and `$get(name)`, which gives what a chunk
 * exports. Nothing that is exported changes after its module has run.
 */
async function hoisted(names, chunks, outputs, options) {
  const within = new Set(names);
  // What somebody outside may ask for; of a group's inner chunks nobody does.
  const offered = names.filter(
    (name) =>
      name === 'main.js' ||
      Object.entries(outputs).some(([from, { imports }]) =>
        imports.some(({ path, kind }) => path === name && (!within.has(from) || kind === 'dynamic-import')),
      ),
  );
  const entry = offered.map((name, index) => {
    const keys = outputs[name].exports;
    const own = keys.map((key, at) => `${key} as $${index}_${at}`).join(', ');
    return `import { ${own} } from ${JSON.stringify(name)};`;
  });
  const table = offered.map((name, index) => {
    const { exports: keys } = outputs[name];
    const whole = isPackage(chunks.get(name)) ? `...$${index}_${keys.indexOf('default')}, ` : '';
    const pairs = keys.map((key, at) => `${key}: $${index}_${at}`).join(', ');
    return `  ${JSON.stringify(name)}: () => ({ ${whole}__esModule: true, ${pairs} }),`;
  });
  const chunk = {
    name: 'chunk',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\.js$/ }, ({ path, importer }) => {
        const name = path.startsWith('.') ? posix.join(posix.dirname(importer), path) : path;
        return within.has(name) ? { path: name, namespace: 'chunk' } : { path: `chunk:${name}`, external: true };
      });
      onLoad({ filter: /./, namespace: 'chunk' }, ({ path: name }) => ({
        // Inside a group nothing is loaded on demand any more; what is asked for later is only handed out later.
        contents: chunks.get(name).replace(/\bimport\("(\.\.?\/[^"]+\.js)"\)/g, (whole, path) => {
          const to = posix.join(posix.dirname(name), path);
          return within.has(to) ? `Promise.resolve().then(() => $get(${JSON.stringify(to)}))` : whole;
        }),
        loader: 'js',
      }));
    },
  };
  const { outputFiles } = await build({
    ...options,
    stdin: { contents: `${entry.join('\n')}\n$offer({\n${table.join('\n')}\n});\n`, loader: 'js' },
    bundle: true,
    format: 'cjs',
    supported: { 'dynamic-import': false },
    banner: {
      js: `'use strict';
let $offered;
const $made = Object.create(null);
const $offer = (all) => { $offered = all; };
const $get = (name) => ($made[name] ??= $offered[name]());`,
    },
    plugins: [chunk],
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  });
  return outputFiles[0].text;
}

/** A chunk that is one CommonJS package exports it whole, so that `import()` of it finds its names as Node's own does. */
export function isPackage(text) {
  return /(?:^|\n)export default require_\w+\(\);\s*$/.test(text);
}

function exportsOf(group) {
  return `module.exports = { ${group === 'main' ? "...$get('main.js'), " : ''}get: $get };\n`;
}

/** The text with every `require` of a chunk pointing to where that chunk is now. `name`: of a chunk that stays alone. */
function placed(text, file, home, name) {
  return text.replace(/\brequire\("(chunk:|\.\.?\/)([^"]+\.js)"\)/g, (whole, kind, path) => {
    const chunk = kind === 'chunk:' ? path : name && posix.join(posix.dirname(name), `${kind}${path}`);
    const target = home.get(chunk);
    if (target === undefined) return whole;
    const relative = posix.relative(posix.dirname(file), target);
    const there = `require("${relative.startsWith('.') ? relative : `./${relative}`}")`;
    return target === chunk && target !== 'main.js' ? there : `${there}.get(${JSON.stringify(chunk)})`;
  });
}
