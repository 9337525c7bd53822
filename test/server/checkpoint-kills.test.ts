/** Processes that write and checkpoint one folder and are killed at any moment: what was acknowledged is there, once. */
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../src/core/sqlite.ts';
import { buildWriter, type Run, runWriter } from './process.ts';
import { companies, world } from './world.ts';

/** A few in a run of all tests, minutes in `npm run soak`. */
const seconds = Number(process.env.COMEM_CHECKPOINT_SECONDS ?? 8);
/** The database is looked at after each. */
const turnMs = 4000;
const writers = 3;

let folder: string;
let program: string;
let listId: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'comem-checkpoints-'));
  program = await buildWriter(folder);
  const w = await world({}, { dataDir: join(folder, 'data') });
  listId = (await w.call('createList', { query: { companyId: companies.fund }, body: { name: 'L' } })).body.id;
  await w.call('createAttribute', { params: { listId }, body: { name: 'T', attribute_type: 'text' } });
  await w.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What the database holds by itself, and whether it is sound. */
async function state() {
  const database = await openDatabase(join(folder, 'data', 'comem.db'));
  try {
    return {
      titles: database.prepare('select title from entries').all() as { title: string }[],
      places: database.prepare('select count(distinct position) as places from entries').get(),
      integrity: database.prepare('pragma integrity_check').all(),
      foreign: database.prepare('pragma foreign_key_check').all(),
    };
  } finally {
    database.close();
  }
}

it(`keeps every acknowledged write for ${seconds} s`, { timeout: 120_000 + 3000 * seconds }, async () => {
  const acknowledged = new Set<string>();
  let started = 0;
  let kills = 0;
  const start = (mode: string): Run => {
    started += 1;
    return runWriter(program, mode, join(folder, 'data'), listId, `p${started}`);
  };
  const until = Date.now() + 1000 * seconds;
  while (Date.now() < until) {
    const runs = [...Array.from({ length: writers }, () => start('write-on')), start('checkpoint-on')];
    const turn = Date.now() + turnMs;
    while (Date.now() < turn) {
      await sleep(randomInt(800));
      const index = randomInt(runs.length);
      const [run] = runs.slice(index);
      // A process that has not written yet would only be started.
      if (run === undefined || run.lines.length === 0) continue;
      await kill(run);
      runs[index] = start(index < writers ? 'write-on' : 'checkpoint-on');
    }
    await Promise.all(runs.map(kill));
    const { titles, places, integrity, foreign } = await state();
    expect({ integrity, foreign }).toEqual({ integrity: [{ integrity_check: 'ok' }], foreign: [] });
    expect(places).toEqual({ places: titles.length });
    const stored = new Set(titles.map(({ title }) => title));
    expect(stored.size).toBe(titles.length);
    expect([...acknowledged].filter((title) => !stored.has(title))).toEqual([]);
    // One of each process may have been written without an answer.
    expect(stored.size - acknowledged.size).toBeLessThanOrEqual(started);
  }
  process.stdout.write(
    `checkpoints: ${acknowledged.size} writes acknowledged and found after ${kills} kills in ${seconds} s\n`,
  );

  async function kill(run: Run): Promise<void> {
    run.child.kill('SIGKILL');
    await run.done;
    kills += 1;
    for (const line of run.lines) if (line.startsWith('201 ')) acknowledged.add(line.slice(4));
  }
});
