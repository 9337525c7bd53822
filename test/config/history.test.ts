import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { markUndo, openJournal, readRuns } from '../../src/config/history.ts';
import { parseJson } from '../../src/core/json.ts';
import { temporaryFolder } from '../helpers/cli.ts';

const header = { version: 1 as const, at: '2026-03-05T12:00:00Z', command: 'entries update', baseUrl: 'https://x' };
const pathsIn = (state: string) => ({ config: '', data: '', cache: '', state });
const write = { op: 'updateEntry', method: 'PATCH', path: '/x' };

it('gives back what was written, numbers exact, with outcome and undone', () => {
  const paths = pathsIn(temporaryFolder());
  const journal = openJournal(paths, 'p', header);
  const before = parseJson('{"values":{"n":1.10,"big":12345678901234567890}}');
  const n = journal.write({ ...write, before });
  journal.write({ ...write, why: 'not read' });
  journal.write(write);
  journal.settle(n, 'done', { after: { values: { n: 2 } }, created: { id: 'm' } });
  journal.settle(2, 'failed');
  journal.close();
  const marks = markUndo(paths, 'p', 1);
  marks.undone(1, [['old', 'new']]);
  marks.halfway(2, { id: 'x', missing: 'this' });
  marks.halfway(2, { id: 'x', missing: 'that' });
  marks.close();
  const [run] = readRuns(paths, 'p');
  expect(run).toMatchObject({ ...header, number: 1, ids: [['old', 'new']] });
  expect(run?.writes).toMatchObject([
    { n: 1, outcome: 'done', after: { values: { n: 2 } }, created: { id: 'm' }, undone: true },
    { n: 2, outcome: 'failed', why: 'not read', halfway: { id: 'x', missing: 'that' } },
    { n: 3 },
  ]);
  expect(run?.writes[2]).not.toHaveProperty('outcome');
  const kept = Object(run?.writes[0]?.before).values as Record<string, unknown>;
  expect([String(kept.n), String(kept.big)]).toEqual(['1.10', '12345678901234567890']);
});

it('reads a run that was killed in the middle of a line, and numbers on behind it', () => {
  const paths = pathsIn(temporaryFolder());
  const journal = openJournal(paths, 'p', header);
  journal.write(write);
  journal.close();
  appendFileSync(join(paths.state, 'history/p/000001.ndjson'), '{"write":{"n":2,"op"');
  appendFileSync(join(paths.state, 'history/p/000002.ndjson'), '');
  openJournal(paths, 'p', header).close();
  expect(readRuns(paths, 'p').map(({ number, writes }) => [number, writes.length])).toEqual([
    [3, 0],
    [1, 1],
  ]);
  expect(readRuns(paths, 'other')).toEqual([]);
});

it('takes a folder, a link or a pipe of its name for no run, and numbers on beside them', () => {
  const paths = pathsIn(temporaryFolder());
  openJournal(paths, 'p', header).close();
  const at = (number: number) => join(paths.state, `history/p/00000${number}.ndjson`);
  mkdirSync(at(2));
  symlinkSync(at(1), at(3));
  if (process.platform !== 'win32') spawnSync('mkfifo', [at(4)]);
  openJournal(paths, 'p', header).close();
  expect(readRuns(paths, 'p').map(({ number }) => number)).toEqual([process.platform === 'win32' ? 4 : 5, 1]);
});

it('keeps the last 200 runs', () => {
  const paths = pathsIn(temporaryFolder());
  for (let run = 0; run < 203; run += 1) openJournal(paths, 'p', header).close();
  const files = readdirSync(join(paths.state, 'history/p')).sort();
  expect([files.length, files[0], files.at(-1)]).toEqual([200, '000004.ndjson', '000203.ndjson']);
});

it('keeps no pre-image beyond 64 MiB of one run, and says so; the oldest runs go first', () => {
  const paths = pathsIn(temporaryFolder());
  const journal = openJournal(paths, 'p', header);
  const before = { text: 'x'.repeat(33 * 1024 * 1024) };
  for (let n = 0; n < 3; n += 1) journal.write({ ...write, before });
  journal.close();
  const writes = readRuns(paths, 'p')[0]?.writes ?? [];
  expect(writes.map(({ before: kept, why }) => [kept === undefined, why])).toEqual([
    [false, undefined],
    [false, undefined],
    [true, 'the journal of this run is full'],
  ]);
  openJournal(paths, 'p', header).close();
  expect(readRuns(paths, 'p').map(({ number }) => number)).toEqual([2]);
  expect(readFileSync(join(paths.state, 'history/p/000002.ndjson'), 'utf8')).toContain('entries update');
});
