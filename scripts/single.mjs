// Writes the program as one executable for this system, comem (or the path given), which needs no Node on the machine. It
// is the Node that runs this script, 24.12 or later, with the packed program inside; its first run unpacks that into the
// cache folder. Node's own SQLite takes the place of the compiled package, so that nothing in it is native but Node.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = resolve(process.argv[2] ?? join(root, 'comem'));
// `comem sql` is safe by these two; earlier releases lack one.
if (!DatabaseSync.prototype.setAuthorizer || !DatabaseSync.prototype.enableDefensive) {
  console.error(`single: Node.js 24.12 or later is required, but this is ${process.versions.node}`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'comem-single-'));
try {
  build();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function build() {
  const options = ['--dir', join(folder, 'dist'), '--builtin-sqlite'];
  execFileSync(process.execPath, ['scripts/build.mjs', ...options], { cwd: root, stdio: 'inherit' });
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const packed = pack({
    ...filesIn(root, 'bin'),
    ...filesIn(folder, 'dist'),
    ...filesIn(root, 'node_modules/@resvg/resvg-wasm'),
    'package.json': readFileSync(join(root, 'package.json')),
    LICENSE: readFileSync(join(root, 'LICENSE')),
    'THIRD-PARTY-NOTICES': readFileSync(join(folder, 'THIRD-PARTY-NOTICES')),
  });
  const id = createHash('sha256').update(packed).digest('hex').slice(0, 16);
  const [program, main, config, blob] = ['program', 'main.cjs', 'sea.json', 'blob'].map((file) => join(folder, file));
  writeFileSync(program, packed);
  writeFileSync(main, starter(name, `program-${id}`));
  writeFileSync(
    config,
    JSON.stringify({ main, output: blob, disableExperimentalSEAWarning: true, assets: { program } }),
  );
  execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: 'ignore' });
  rmSync(target, { force: true });
  mkdirSync(resolve(target, '..'), { recursive: true });
  copyFileSync(process.execPath, target);
  // The mark that Node looks for in itself, as its documentation has it.
  const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
  const postject = ['exec', '--yes', '--package=postject@1.0.0-alpha.6', '--', 'postject'];
  execFileSync('npm', [...postject, target, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', fuse], { stdio: 'ignore' });
  console.log(`${target}: ${name} ${version}, ${Math.round(statSync(target).size / 1e6)} MB`);
}

/** What runs, without types and maps. */
function filesIn(base, path) {
  const entries = readdirSync(join(base, path), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !/\.(?:d\.[cm]?ts|map)$/.test(entry.name));
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((file) => [file.slice(base.length).replace(/^\//, ''), readFileSync(file)]));
}

function pack(files) {
  const texts = Object.entries(files).map(([name, bytes]) => [name, bytes.toString('base64')]);
  return brotliCompressSync(JSON.stringify(Object.fromEntries(texts)), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 5 },
  });
}

function starter(name, programFolder) {
  return `
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { createRequire } = require('node:module');
// The program starts its second program as a script of this executable, after options of Node and without its environment.
const inside = path.join('${name}', '${programFolder}') + path.sep;
const at = process.send ? process.argv.findIndex((word) => word.includes(inside)) : -1;
if (at > 0) process.argv.splice(1, at - 1);
const script = at > 0 ? process.argv[1] : path.join(unpacked(), 'bin', 'comem.js');
createRequire(script)(script);

function unpacked() {
  const caches = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
  const program = path.join(caches, inside);
  if (fs.existsSync(program)) return program;
  const packed = Buffer.from(require('node:sea').getAsset('program'));
  const files = JSON.parse(require('node:zlib').brotliDecompressSync(packed).toString());
  fs.mkdirSync(path.dirname(program), { recursive: true, mode: 0o700 });
  const partial = fs.mkdtempSync(path.join(path.dirname(program), '${programFolder}-'));
  for (const [file, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(partial, file)), { recursive: true });
    fs.writeFileSync(path.join(partial, file), Buffer.from(text, 'base64'));
  }
  try {
    fs.renameSync(partial, program);
  } catch (error) {
    // Another run was faster.
    fs.rmSync(partial, { recursive: true, force: true });
    if (!fs.existsSync(program)) throw error;
  }
  return program;
}
`;
}
