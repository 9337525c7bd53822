/** `server load` and `server dump` of more than the memory that they may take. */
import { createWriteStream, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runBinary, temporaryFolder } from '../helpers/cli.ts';

it('reads points while it loads them, and writes them while it dumps them', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'points.csv');
  const out = createWriteStream(file);
  const metrics = Array.from({ length: 500 }, (_, at) => `m${at}`);
  out.write(`period,${metrics.join(',')}\n`);
  for (let month = 0; month < 600; month += 1) {
    const period = `${1970 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;
    out.write(`${period},${metrics.map((_, at) => at * 1.5 + month).join(',')}\n`);
  }
  await new Promise((resolve) => out.end(resolve));
  const env = { NODE_OPTIONS: '--max-old-space-size=64' };
  const { code, stdout, stderr } = await runBinary(['server', 'load', file, '--data-dir', join(folder, 'data')], {
    env,
  });
  expect([code, stderr]).toEqual([0, expect.stringContaining('The points belong to points')]);
  expect(stdout).toContain('points\t300000\t0\t0');
  const dumped = join(folder, 'dump.ndjson');
  const dump = await runBinary(['server', 'dump', '--data-dir', join(folder, 'data'), '--out', dumped], { env });
  expect([dump.code, dump.stderr]).toEqual([0, '']);
  const other = await runBinary(['server', 'load', dumped, '--data-dir', join(folder, 'other')], { env });
  expect([other.code, other.stderr]).toEqual([0, '']);
  expect(other.stdout).toContain('points\t300000\t0\t0');
  rmSync(folder, { recursive: true, force: true });
}, 240_000);
