/** The demo's mirror: its newest state is the demo's data, and what was before leads to it. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CustomListEntry } from '../../src/contract/lists.ts';
import { demo } from '../../src/core/demo.ts';
import { entryLines, listOf } from '../../src/domain/history/find.ts';
import type { History, Revision } from '../../src/domain/history/versions.ts';
import { ensureDemoMirror } from '../../src/mirror/demo.ts';
import { openHistory } from '../../src/mirror/history.ts';
import { mirrorStatus } from '../../src/mirror/report.ts';
import { run } from '../helpers/run.ts';

/** The companies whose own data the investor reads. */
const ownCompanies = Object.keys(demo.companies).filter((slug) => slug !== 'alder' && slug !== 'cedar');

const folder = mkdtempSync(join(tmpdir(), 'comem-demo-past-'));
let mirror: string;
let history: History;

beforeAll(async () => {
  mirror = await ensureDemoMirror(folder);
  history = await openHistory(mirror);
});
afterAll(async () => {
  await history.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the newest state', () => {
  it('is that of the demo clock, after two years of weeks', async () => {
    const syncs = await history.syncs();
    expect([syncs.length, syncs[0]?.seenAt, syncs.at(-1)?.seenAt]).toEqual([105, '2024-04-02T09:00:00.000Z', demo.now]);
  });

  it('is what the API answers', async () => {
    const companies = ownCompanies.flatMap((slug) => ['-c', slug]);
    const result = await run([
      '-p',
      'demo',
      ...companies,
      'changes',
      '--live',
      '--where',
      'kind != preferences',
      '-o',
      'json',
    ]);
    expect([result.stdout, result.stderr, result.code]).toEqual(['[]\n', '', 0]);
  });
});

it('has the counts that its syncs would have reported', async () => {
  const { lastCounts, current } = await mirrorStatus(mirror);
  expect(lastCounts).toEqual({ read: current, added: 8, changed: 24, deleted: 0 });
});

describe('the past', () => {
  it('is readable by its owner only', () => {
    expect(statSync(mirror).mode & 0o777).toBe(0o700);
  });

  it('of each deal begins when it was created, and follows the order of its writes', async () => {
    const list = await listOf(history, demo.companyId, 'deal-pipeline');
    let moves = 0;
    for await (const line of entryLines(history, list.id)) {
      const first = line[0] as Revision<CustomListEntry>;
      const { created_at: created = '' } = first.value;
      const writes = line.map(({ value }) => value.updated_at ?? '');
      expect(writes).toEqual([...writes].sort());
      expect((writes[0] ?? '') >= created, first.value.title).toBe(true);
      for (const { value, seenFrom } of line) {
        expect(value.created_at).toBe(created);
        expect((value.updated_at ?? '') <= seenFrom).toBe(true);
      }
      // A deal is seen by the first sync after it was created.
      const sync = (await history.syncs()).find(({ seenAt }) => seenAt >= created);
      expect(first.seenFrom).toBe(sync?.seenAt);
      moves += line.filter(
        ({ value }, index) => index > 0 && value.values?.stage !== line[index - 1]?.value.values?.stage,
      ).length;
    }
    expect(moves).toBeGreaterThan(500);
  });
});
