/** `server load` of more than the memory that it may take; server-dump-memory.test.ts tries larger data and both ways. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cli, temporaryFolder } from '../helpers/cli.ts';

it('reads a pipe while it loads it', async () => {
  const folder = temporaryFolder();
  const env = { NODE_OPTIONS: '--max-old-space-size=64' };
  const month = (at: number) => `${1970 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}`;
  const metrics = Array.from({ length: 250 }, (_, at) => `      m${at}: ${at}.5\n`).join('');
  const points = Array.from(
    { length: 240 },
    (_, at) => `  - company: a\n    period: ${month(at)}\n    metrics:\n${metrics}`,
  );
  const stdin = `companies:\n  - slug: a\n    name: A\npoints:\n${points.join('')}`;
  const loaded = await cli(['server', 'load', '-', '--data-dir', join(folder, 'data')], { env, stdin });
  expect([loaded.code, loaded.stderr]).toEqual([0, '']);
  expect(loaded.stdout).toContain('points\t60000\t0\t0');
}, 120_000);
