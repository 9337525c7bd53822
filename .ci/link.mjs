// Puts chunks that are always loaded together into one file. On Node 20, where no compile cache exists, every file of a
// start costs a third of a millisecond to find, read and compile, and a command would load thirty.
import { createHash } from 'node:crypto';
import { posix } from 'node:path';

/** Chunks by the sources that they begin with, in the order in which they are given out; the first file is main.js. */
const groups = [
  { name: 'main', roots: ['src/main.ts', 'src/cli/help/help.ts'], share: 0.25 },
  { name: 'context', roots: ['src/cli/run-context.ts', 'src/cli/make-client.ts'] },
  { name: 'undici', roots: ['node_modules/undici/lib/dispatcher/client.js'] },
  { name: 'table', roots: ['src/output/formats/table.ts', 'node_modules/cli-table3/index.js'] },
];

/**
 * @param {Map<string, string>} chunks CommonJS text by name relative to dist (`main.js`, `chunks/list-ABC.js`)
 * @param {Record<string, { entryPoint?: string, imports: { path: string, kind: string }[], exports: string[] }>} outputs
 *   of esbuild's metafile, by the same names
 * @returns {{ files: Map<string, string>, home: Map<string, string> }} text by file, and the file of each chunk
 */
export function link(chunks, outputs) {
  const groupOf = new Map();
  for (const group of groups) {
    for (const name of members(group, outputs)) if (!groupOf.has(name)) groupOf.set(name, group.name);
  }
  const fileOf = new Map(groups.map(({ name }) => [name, groupFile(name, chunks, groupOf)]));
  const home = new Map([...chunks.keys()].map((name) => [name, fileOf.get(groupOf.get(name)) ?? name]));
  const files = new Map();
  for (const [name, text] of chunks) {
    if (!groupOf.has(name)) files.set(name, rewritten(text, name, home));
  }
  for (const { name: group } of groups) {
    const names = [...chunks.keys()].filter((name) => groupOf.get(name) === group);
    const file = fileOf.get(group);
    files.set(file, groupText(names, chunks, home, group === 'main' ? outputs['main.js'].exports : []));
  }
  return { files, home };
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

function groupText(names, chunks, home, exported) {
  const file = home.get(names[0]);
  // The parentheses have each function compiled at once instead of skimmed first and compiled when it is called.
  const modules = names.map((name) => {
    const text = rewritten(chunks.get(name), file, home, name);
    return `${JSON.stringify(name)}: (function (exports, module) {\n${text}\n})`;
  });
  const getters = exported.map((key) => `get ${key}() { return get('main.js').${key}; }`);
  return `'use strict';
const loaded = Object.create(null);
const modules = {
${modules.join(',\n')}
};
function get(name) {
  let module = loaded[name];
  if (module === undefined) {
    module = loaded[name] = { exports: {} };
    modules[name](module.exports, module);
  }
  return module.exports;
}
module.exports = { ${['get', ...getters].join(', ')} };
`;
}

/** The text with every `require` of a chunk pointing to where that chunk is now. */
function rewritten(text, file, home, name = file) {
  return text.replace(/\brequire\("(\.\.?\/[^"]+\.js)"\)/g, (whole, path) => {
    const chunk = posix.join(posix.dirname(name), path);
    const target = home.get(chunk);
    if (target === undefined) return whole;
    if (target === file) return target === chunk && file === name ? whole : `get(${JSON.stringify(chunk)})`;
    const relative = posix.relative(posix.dirname(file), target);
    const there = `require("${relative.startsWith('.') ? relative : `./${relative}`}")`;
    return target === chunk && !isGroup(target) ? there : `${there}.get(${JSON.stringify(chunk)})`;
  });
}

function isGroup(file) {
  return file === 'main.js';
}
