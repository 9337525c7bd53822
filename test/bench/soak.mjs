// `npm run soak`: what is too long for `npm test`. Imports of 20,000 rows, each killed with -9 at a random moment and
// resumed: every row must be there once, in the order of the file. `-- --kills N --rows N` make it shorter or longer.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { comem, companies, inMemory } from './import.mjs';
import { environment, scratch } from './measure.mjs';

const binary = fileURLToPath(new URL('../../bin/comem.js', import.meta.url));
const self = fileURLToPath(import.meta.url);
const { values } = parseArgs({
  options: { kills: { type: 'string', default: '20' }, rows: { type: 'string', default: '20000' } },
});
const [kills, rows] = [Number(values.kills), Number(values.rows)];

async function killed(list, file, afterMs) {
  const argv = ['entries', 'import', list, file, '--key', 'ref', '--create-attrs', '--yes', '--concurrency', '8'];
  const child = spawn(process.execPath, [binary, ...argv], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await Promise.race([sleep(afterMs, undefined, { ref: false }), ended]);
  child.kill('SIGKILL');
  const [, signal] = await ended;
  return { argv, wasKilled: signal === 'SIGKILL' };
}

async function count(list) {
  return Number(await comem(['entries', 'count', list]));
}

async function soak() {
  const file = companies(join(scratch, 'rows.csv'), rows);
  const expected = Array.from({ length: rows }, (_, n) => `R${n}`).join('\n');
  // The first import runs to its end, and says how long one takes.
  let whole = 0;
  for (let turn = 0; turn <= kills; turn += 1) {
    const list = (await comem(['lists', 'create', `Rows ${turn}`, '-o', 'id'])).trim();
    const began = performance.now();
    const { argv, wasKilled } = await killed(list, file, turn === 0 ? 2 ** 30 : 200 + Math.random() * whole * 0.9);
    if (turn === 0) whole = performance.now() - began;
    if (turn > 0 && !wasKilled) {
      // It was done before the moment came, so there was no kill: once more, sooner.
      whole *= 0.9;
      turn -= 1;
      await comem(['lists', 'delete', list, '--yes']);
      continue;
    }
    const before = await count(list);
    if (wasKilled) {
      const resumed = await comem([...argv, '--resume']);
      const [created, , unchanged] = resumed.trim().split('\n')[1].split('\t').map(Number);
      // A kill before the first write left nothing to go on with, so that what is there is found unchanged.
      if (created + unchanged !== rows) throw new Error(`the resumed import says ${resumed}`);
    }
    const refs = await comem(['entries', 'list', list, '-o', 'csv', '--fields', 'ref', '--no-header']);
    if (refs.trim() !== expected) {
      const found = refs.trim().split('\n');
      throw new Error(
        `after a kill at ${before} rows there are ${found.length}, ${new Set(found).size} of them different`,
      );
    }
    console.log(
      turn === 0
        ? `${rows} rows in ${Math.round(whole / 1000)} s`
        : `kill ${turn}: at ${before} rows; all there, each once`,
    );
    await comem(['lists', 'delete', list, '--yes']);
  }
}

if (process.env.COMEM_SOAK) await soak();
else {
  const argv = ['serve', '--', process.execPath, self, ...process.argv.slice(2)];
  const env = { ...environment, ...inMemory, COMEM_SOAK: '1' };
  const child = spawn(process.execPath, [binary, ...argv], { env, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
}
