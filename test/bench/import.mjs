// Rows a second of `entries import`, whole process, against an embedded server: at 1, 4 and 16 in flight, with 0 and 20 ms
// of latency. Started by itself below `comem serve`, it makes the runs and prints them; imported, it gives them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environment, scratch, time } from './measure.mjs';

const binary = fileURLToPath(new URL('../../bin/comem.js', import.meta.url));
const self = fileURLToPath(import.meta.url);

/** The server's disk is not what is measured: where there is a folder in memory, its database goes there. */
export const inMemory = existsSync('/dev/shm') ? { TMPDIR: '/dev/shm' } : {};

/** A CSV file of so many companies. */
export function companies(file, rows) {
  const lines = Array.from(
    { length: rows },
    (_, n) => `R${n},Company ${n},${n % 3 ? 'Open' : 'Won'},${n * 1.25},2024-01-15`,
  );
  writeFileSync(file, ['Ref,title,Stage,Amount,Since', ...lines].join('\n'));
  return file;
}

/** Runs comem to its end and gives its stdout. */
export async function comem(argv, env = process.env) {
  const child = spawn(process.execPath, [binary, ...argv], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err] = [[], []];
  child.stdout.on('data', (chunk) => out.push(chunk));
  child.stderr.on('data', (chunk) => err.push(chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`comem ${argv.join(' ')} ended with ${code}: ${Buffer.concat(err)}`);
  return Buffer.concat(out).toString();
}

/** Runs a script of this folder below `comem serve` with these flags, and gives its stdout. */
export function served(script, flags, words = []) {
  return comem(['serve', ...flags, '--', process.execPath, script, ...words], { ...environment, ...inMemory });
}

/** @returns rows a second by latency and requests in flight */
export async function importRates() {
  const found = [];
  for (const latency of [0, 20]) {
    const flags = latency > 0 ? ['--latency', `${latency}ms`] : [];
    for (const line of (await served(self, flags, [String(latency)])).trim().split('\n')) found.push(JSON.parse(line));
  }
  return found;
}

async function runs(latency) {
  for (const inFlight of [1, 4, 16]) {
    const rows = latency === 0 ? 2000 : 200 * inFlight;
    const file = companies(join(scratch, 'rows.csv'), rows);
    const list = (await comem(['lists', 'create', `Rows ${inFlight}`, '-o', 'id'])).trim();
    const argv = [
      'entries',
      'import',
      list,
      file,
      '--key',
      'ref',
      '--create-attrs',
      '--yes',
      '--concurrency',
      inFlight,
    ];
    const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('COMEM_')));
    const took = await time({ argv: [process.execPath, binary, ...argv.map(String)], env: own });
    console.log(JSON.stringify({ latency, inFlight, rate: (rows / took) * 1000 }));
  }
}

if (process.argv[1] === self) await runs(Number(process.argv[2]));
