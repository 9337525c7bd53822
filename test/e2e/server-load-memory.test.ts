/** `server load` of more than the memory that it may take; server-dump-memory.test.ts tries larger data and both ways. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runBinary, temporaryFolder } from '../helpers/cli.ts';

it('reads a pipe while it loads it', async () => {
  const folder = temporaryFolder();
  const env = { NODE_OPTIONS: '--max-old-space-size=64' };
  const month = (at: number) => `${1970 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}`;
  const metrics = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`m${at}`, at + 0.5]));
  const points = Array.from({ length: 600 }, (_, at) => ({ points: [{ company: 'a', period: month(at), metrics }] }));
  const lines = [{ companies: [{ slug: 'a', name: 'A' }] }, ...points];
  const stdin = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const loaded = await runBinary(['server', 'load', '-', '--format', 'ndjson', '--data-dir', join(folder, 'data')], {
    env,
    stdin,
  });
  expect([loaded.code, loaded.stderr]).toEqual([0, '']);
  expect(loaded.stdout).toContain('points\t300000\t0\t0');
}, 120_000);
