import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { totalCountHeader } from '../../src/contract/operation.ts';
import { cli, finished, start, temporaryFolder } from '../helpers/cli.ts';
import { ids, servedWorld } from '../helpers/lists-world.ts';

it('an import of 20,000 rows, killed with -9 at two random moments and resumed, has every row once', async () => {
  const count = 20_000;
  const folder = temporaryFolder();
  const rows = Array.from({ length: count }, (_, row) => `R${row},Company ${row % 50},${row * 1.5}`);
  writeFileSync(join(folder, 'rows.csv'), ['Ref,title,Amount', ...rows].join('\n'));
  const world = await servedWorld();
  try {
    const { env } = world;
    const argv = ['entries', 'import', 'empty', 'rows.csv', '--key', 'ref', '--create-attrs', '--yes', '-o', 'json'];
    const counted = `${env.COMEM_BASE_URL}/api/lists/${ids.empty}/entries?limit=1&withTotal=true`;
    const headers = { cookie: env.COMEM_SESSION_COOKIE ?? '' };
    const written = async () => Number((await fetch(counted, { headers })).headers.get(totalCountHeader));
    const moments = [randomInt(1, count / 2), randomInt(count / 2, count * 0.95)];
    for (const [turn, moment] of moments.entries()) {
      const child = start([...argv, ...(turn > 0 ? ['--resume'] : [])], { cwd: folder, home: folder, env });
      const ended = finished(child);
      while ((await written()) < moment) await sleep(20);
      child.kill('SIGKILL');
      expect((await ended).signal).toBe('SIGKILL');
    }
    expect(await written()).toBeLessThan(count);
    const result = await cli([...argv, '--resume'], { cwd: folder, home: folder, env });
    expect([result.code, JSON.parse(result.stdout).created]).toEqual([0, count]);
    const { stdout } = await world.comem(['entries', 'list', 'empty', '-o', 'csv', '--fields', 'ref', '--no-header']);
    expect(stdout.trim().split('\n')).toEqual(Array.from({ length: count }, (_, row) => `R${row}`));
  } finally {
    await world.close();
  }
}, 480_000);
