/** kill -9 in a mixed load: what was acknowledged is there, nothing is half there, and the server starts again by itself. */
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isPostgres } from '../../src/core/addresses.ts';
import { engine, freshDatabase } from '../helpers/database.ts';
import { MixedLoad } from './mixed-load.ts';
import { buildWriter, type Run, runWriter } from './process.ts';
import { type World, world } from './world.ts';

/** Two in a run of all tests, fifty in `npm run soak`. */
const kills = Number(process.env.COMEM_KILLS ?? 2);

let folder: string;
let program: string;
let w: World;
let named: string;
let load: MixedLoad;
let server: Run;
let survived = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'comem-kills-'));
  program = await buildWriter(folder);
  const fresh = await freshDatabase();
  named = fresh.database ?? join(folder, 'data');
  w = await world({}, isPostgres(named) ? fresh : { dataDir: named });
  load = await MixedLoad.create(w);
});
afterAll(async () => {
  const { acknowledged } = load;
  process.stdout.write(`kills on ${engine}: ${survived} survived, ${acknowledged} writes acknowledged and found\n`);
  server.child.kill('SIGKILL');
  await server.done;
  await w.close();
  await rm(folder, { recursive: true, force: true });
});

it(`survives ${kills} kills in a mixed load`, { timeout: 60_000 + kills * 10_000 }, async () => {
  server = runWriter(program, 'serve', named);
  for (let kill = 0; kill < kills; kill += 1) {
    const url = await server.line(0);
    const victim = server;
    let left = randomInt(10, 120);
    await load.run(url, () => {
      left -= 1;
      if (left === 0) setTimeout(() => victim.child.kill('SIGKILL'), randomInt(4));
    });
    await victim.done;
    server = runWriter(program, 'serve', named);
    await server.line(0);
    await load.check();
    survived += 1;
  }
  expect(survived).toBe(kills);
});
