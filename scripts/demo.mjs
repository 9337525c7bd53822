// A guided tour on a fresh demo database: each command is printed, then run, and its real output follows.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const binary = fileURLToPath(new URL('../bin/comem.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'comem-demo-'));
const style =
  process.stdout.isTTY && !process.env.NO_COLOR ? (code, text) => `\u001b[${code}m${text}\u001b[0m` : (_, text) => text;

// The caller's own profiles and credentials stay out of it, and nothing is left behind.
const xdg = Object.fromEntries(
  ['CONFIG', 'DATA', 'CACHE', 'STATE'].map((kind) => [`XDG_${kind}_HOME`, join(folder, kind.toLowerCase())]),
);
const own = Object.entries(process.env).filter(([name]) => !name.startsWith('COMEM_'));
const env = { ...Object.fromEntries(own), ...xdg };

/** Prints and runs one command; ends the tour when its exit code is not the expected one. */
function step(says, argv, { capture = false, expected = 0 } = {}) {
  const words = argv.map((word) => (/^[\w./:=,@-]+$/.test(word) ? word : `'${word}'`)).join(' ');
  console.log(`\n${style(2, `# ${says}`)}\n${style(1, `$ comem ${words}`)}`);
  const { status, stdout } = spawnSync(process.execPath, [binary, ...argv], {
    cwd: folder,
    env,
    stdio: ['ignore', capture ? 'pipe' : 'inherit', 'inherit'],
    encoding: 'utf8',
  });
  if (capture) process.stdout.write(stdout);
  if (expected !== 0) console.log(style(2, `(exit code ${status})`));
  if (status !== expected) throw new Error(`the command ended with ${status}, not with ${expected}`);
  return capture ? stdout.trim() : '';
}

try {
  console.log('The API and its database run inside the program, on demo data. `comem` is here `node bin/comem.js`.');
  const demo = ['-p', 'demo'];
  step('Which lists are there?', [
    ...demo,
    'lists',
    'list',
    '-o',
    'table',
    '--fields',
    'name,slug,list_attributes_count',
  ]);
  step('Entries of one list, some of their columns', [
    ...demo,
    ...['entries', 'list', 'deal-pipeline', '--filter', 'stage=Invested', '--limit', '5'],
    ...['-o', 'table', '--fields', 'title,stage,sector'],
  ]);
  step('Two years of a metric as CSV', [...demo, 'metrics', 'series', '-m', 'mrr', '--last', '24', '-O', 'mrr.csv']);
  console.log(style(1, '$ head -4 mrr.csv'));
  console.log(readFileSync(join(folder, 'mrr.csv'), 'utf8').split('\n').slice(0, 4).join('\n'));
  const active = [...demo, 'grants', 'list', '--status', 'active'];
  const [grant = ''] = step('Who may read our metrics?', [...active, '-o', 'id'], { capture: true }).split('\n');
  step('Revoke the first of these grants', [...demo, 'grants', 'revoke', grant, '--yes']);
  step('It is no longer active', [...demo, 'grants', 'get', grant, '-o', 'json', '--fields', 'id,status,revoked_at']);
  step('A check for a script: how many deals became investments?', [
    ...[...demo, 'entries', 'count', 'deal-pipeline', '--filter', 'stage=Invested'],
  ]);
  step(
    'And one that fails when there is nothing: exit code 1',
    [...demo, 'entries', 'count', 'deal-pipeline', '--search', 'no such deal', '--fail-empty'],
    { expected: 1 },
  );
  console.log('\nAll of it works the same against your own company after `comem auth login`.');
} catch (error) {
  console.error(`demo: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
