// Writes the program into one file, comem.cjs (or the path given), which Node runs on machines of the same system and
// processor. Its first run unpacks it into the cache folder; later ones start it there.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = process.argv[2] ?? join(root, 'comem.cjs');
const { name, version, dependencies, bin, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** What runs here, and the licences: no types, maps, sources of compiled code, or compiled code for other machines. */
const unused = /\.(d\.[cm]?ts|map|c|cpp|h|gypi?)$/;
const own = [...filesIn('bin'), ...filesIn('dist'), 'package.json', 'LICENSE', 'THIRD-PARTY-NOTICES'];
const files = [...own, ...packages(Object.keys(dependencies)).flatMap((folder) => filesIn(folder))].filter(
  (path) => !unused.test(path) && !isForeign(path),
);
const content = Object.fromEntries(files.map((path) => [path, readFileSync(join(root, path)).toString('base64')]));
const plain = Buffer.from(JSON.stringify(content));
const packed = brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
const id = createHash('sha256').update(packed).digest('hex').slice(0, 16);
writeFileSync(target, `${starter()}//${packed.toString('base64')}\n`, { mode: 0o755 });
console.log(`${target}: ${name} ${version}, ${Math.round(statSync(target).size / 1e6)} MB`);

/** Compiled code of another system or processor, in the folders that node-gyp-build knows. */
function isForeign(path) {
  const machine = /[\\/]prebuilds[\\/]([^\\/]+)/.exec(path)?.[1];
  return machine !== undefined && machine !== `${process.platform}-${process.arch}`;
}

/** Those with compiled code and all that they need, as npm has installed them. */
function packages(names, found = new Set()) {
  for (const one of names) {
    const folder = join('node_modules', one);
    if (found.has(folder) || !existsSync(join(root, folder))) continue;
    found.add(folder);
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    packages(Object.keys({ ...dependencies, ...optionalDependencies }), found);
  }
  return [...found];
}

function filesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length));
}

function starter() {
  return `#!/usr/bin/env node
// comem ${version}. The last line is the program, packed; the first run unpacks it into the cache folder.
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const caches = process.env.XDG_CACHE_HOME || process.env.LOCALAPPDATA || path.join(os.homedir(), '.cache');
const program = path.join(caches, '${name}', 'program-${id}');

if (!fs.existsSync(program)) {
  if (!process.getBuiltinModule) {
    process.stderr.write('comem: Node.js ${engines.node} is required, but this is ' + process.versions.node + '\\n');
    process.exit(2);
  }
  const packed = fs.readFileSync(__filename, 'latin1').trimEnd();
  const bytes = Buffer.from(packed.slice(packed.lastIndexOf('\\n//') + 3), 'base64');
  const files = JSON.parse(require('node:zlib').brotliDecompressSync(bytes).toString());
  fs.mkdirSync(path.dirname(program), { recursive: true, mode: 0o700 });
  const partial = fs.mkdtempSync(program + '-');
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(partial, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, Buffer.from(text, 'base64'));
  }
  try {
    fs.renameSync(partial, program);
  } catch (error) {
    // Another run was faster.
    fs.rmSync(partial, { recursive: true, force: true });
    if (!fs.existsSync(program)) throw error;
  }
}
require(path.join(program, ${JSON.stringify(bin.comem)}));
`;
}
