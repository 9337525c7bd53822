import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { whyNotUndone } from '../../../src/commands/undo/read.ts';
import { temporaryFolder } from '../../helpers/cli.ts';
import { ids, listsWorld, sent, type World } from '../../helpers/lists-world.ts';
import type { RunOptions } from '../../helpers/run.ts';

let world: World;
let home: string;
beforeEach(async () => {
  world = await listsWorld();
  home = temporaryFolder();
});
afterEach(() => world.close());

const run = (argv: string[], options: RunOptions = {}) => world.run(argv, { home, ...options });
const ok = async (...argv: string[]) => {
  const result = await run([...argv, '-y']);
  if (result.code !== 0) throw new Error(`${argv.join(' ')} ended with ${result.code}: ${result.stderr}`);
  return result;
};
const rows = async (...argv: string[]) => {
  const { stdout, stderr } = await run([...argv, '-o', 'json']);
  try {
    return JSON.parse(stdout) as Record<string, unknown>[];
  } catch {
    throw new Error(`${argv.join(' ')} printed ${stdout} and said ${stderr}`);
  }
};
const entry = async (title: string) => (await run(['entries', 'get', 'deals', title, '-o', 'json'])).stdout;
const values = async (title: string) => JSON.parse(await entry(title)).values as Record<string, unknown>;

describe('history', () => {
  it('keeps what a change replaced, readable only by its user, and nothing of reads', async () => {
    await ok('entries', 'list', 'deals');
    expect(await rows('history')).toEqual([]);
    await ok('entries', 'update', 'deals', 'Børealis', '--set', 'amount=9');
    await ok('entries', 'archive', 'deals', ids.acme);
    expect(await rows('history')).toMatchObject([
      {
        number: 2,
        command: 'entries archive',
        changed: '1 entry changed',
        undo: 'no',
        why: expect.stringContaining('--keep-undo'),
      },
      {
        number: 1,
        command: 'entries update',
        changed: '1 entry changed',
        undo: 'yes',
        why: null,
        company: ids.company,
      },
    ]);
    expect(await rows('history', '1')).toMatchObject([
      {
        write: 1,
        what: 'entry "Børealis"',
        outcome: 'done',
        sent: { values: { amount: 9 } },
        before: { values: { amount: 7 } },
      },
    ]);
    const folder = join(home, 'state/comem/history/default');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder)).toEqual(['000001.ndjson', '000002.ndjson']);
    expect(statSync(join(folder, '000001.ndjson')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, '000001.ndjson'), 'utf8')).not.toMatch(/session-of|cmk_/);
    expect((await run(['history', '9'])).code).toBe(3);
    expect((await run(['history', 'x'])).code).toBe(2);
  });

  it('is kept for each profile apart, and for what failed says so', async () => {
    await run(['entries', 'archive', 'deals', ids.nothing]);
    expect(await rows('history')).toMatchObject([{ undo: 'no', why: 'every request failed' }]);
    expect((await run(['undo', '-y'])).code).toBe(3);
    expect(await rows('history', '-p', 'demo')).toEqual([]);
  });

  it('does not stop a write when it cannot be kept, unless it was asked for', async () => {
    writeFileSync(join(home, 'state'), 'not a folder');
    const asked = await run(['entries', 'archive', 'deals', ids.acme, '--keep-undo']);
    expect([asked.code, asked.requests.some(({ method }) => method === 'PATCH')]).toEqual([2, false]);
    const done = await run(['entries', 'archive', 'deals', ids.acme]);
    expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('cannot be undone')]);
  });
});

describe('undo', () => {
  it('patches back the fields that were changed, and is undone itself by its number', async () => {
    const before = await values('Acme, "Rockets"');
    await ok(
      'entries',
      'update',
      'deals',
      'Acme, "Rockets"',
      '--set',
      'stage=Open',
      '--set',
      'amount=1',
      '--unset',
      'tags',
    );
    const dry = await run(['undo', '--dry-run']);
    expect(JSON.parse(dry.stdout)).toMatchObject([
      { method: 'PATCH', body: { id: ids.acme, values: { amount: 1250000.5 } } },
    ]);
    expect(dry.stderr).toContain('amount 1.00 EUR → 1,250,000.50 EUR');
    expect((await run(['undo'])).code).toBe(2);
    const undone = await run(['undo', '--yes', '-o', 'json']);
    expect(JSON.parse(undone.stdout)).toEqual([
      { write: 1, what: 'entry "Acme, "Rockets""', outcome: 'restored', id: ids.acme, error: null },
    ]);
    expect(undone.stderr).toContain('1 restored, 0 failed.');
    expect(await values('Acme, "Rockets"')).toEqual(before);
    expect(await rows('history')).toMatchObject([
      { number: 2, command: 'undo', undo: 'yes' },
      { number: 1, undo: 'undone' },
    ]);
    expect((await run(['undo', '-y'])).code).toBe(3);
    expect((await run(['undo', '1', '-y'])).code).toBe(1);
    await ok('undo', '2');
    expect(await values('Acme, "Rockets"')).toMatchObject({ amount: 1, stage: 'o-open' });
  });

  it('clears what had no value, and takes several changes of one entry back in order', async () => {
    await ok('entries', 'update', 'deals', '--search', 'twin', '--set', 'size=1', '--set', 'notes=n');
    await ok('entries', 'update', 'deals', '--where', 'size = 1', '--title', 'Renamed', '--set', 'size=2');
    await ok('undo');
    expect(await rows('entries', 'list', 'deals', '--search', 'twin')).toMatchObject([
      { title: 'Twin', values: { size: 1 } },
      { title: 'Twin', values: { size: 1 } },
    ]);
    await ok('undo', '1');
    const twins = await rows('entries', 'list', 'deals', '--search', 'twin');
    expect(twins.map(({ values: kept }) => (kept as { size?: unknown }).size ?? null)).toEqual([null, null]);
  });

  it('names options by their labels, also where the run changed their attribute first', async () => {
    const file = join(home, 'lost.csv');
    writeFileSync(file, 'id,stage\n'.concat(ids.acme, ',Lost\n'));
    await ok('entries', 'import', 'deals', file, '--key', 'id', '--mode', 'update', '--add-options');
    await ok('undo');
    const { stderr } = await run(['undo', '2', '--dry-run']);
    expect(stderr).toMatch(/attribute "Stage": .*\n.*: stage Won → Lost\n/);
  });

  it('leaves alone what was changed since, without --force', async () => {
    await ok('entries', 'update', 'deals', 'Børealis', '--set', 'amount=9', '--set', 'notes=mine');
    await world.run(['entries', 'update', 'deals', 'Børealis', '--set', 'amount=10'], { home: temporaryFolder() });
    const left = await run(['undo', '-y', '-o', 'json']);
    expect([left.code, JSON.parse(left.stdout)[0]]).toMatchObject([
      1,
      { outcome: 'skipped', error: expect.stringContaining('amount') },
    ]);
    expect(await values('Børealis')).toMatchObject({ amount: 10 });
    await ok('undo', '--force');
    expect(await values('Børealis')).toMatchObject({ amount: 7, notes: '=1+1' });
  });

  it('makes deleted entries again, with new ids, and says so', async () => {
    const before = JSON.parse(await entry('Old deal'));
    const gone = await run(['entries', 'delete', 'deals', ids.old, ids.acme, '-y', '--keep-undo']);
    expect(gone.code).toBe(0);
    expect(await rows('history')).toMatchObject([{ changed: '2 entries deleted', undo: 'yes' }]);
    const { stderr, stdout } = await run(['undo', '-y', '-o', 'json']);
    expect(stderr).toContain('gets a new id, created_at and created_by');
    expect(JSON.parse(stdout).map(({ outcome }: { outcome: string }) => outcome)).toEqual(['recreated', 'recreated']);
    const after = JSON.parse(await entry('Old deal'));
    expect(after.id).not.toBe(before.id);
    const { id: _, created_at, updated_at, created_by, ...rest } = before;
    expect(after).toMatchObject(rest);
    expect(await values('Acme, "Rockets"')).toMatchObject({
      amount: 1250000.5,
      tags: ['t-climate', 't-space'],
      stage: 'o-won',
    });
  });

  it('restores an attribute with its options and values', async () => {
    const before = await values('Acme, "Rockets"');
    await ok('attrs', 'delete', 'deals', 'stage', '--keep-undo');
    expect(await values('Acme, "Rockets"')).not.toHaveProperty('stage');
    await ok('undo');
    expect(await values('Acme, "Rockets"')).toEqual(before);
    await ok('attrs', 'update', 'deals', 'stage', '--rename-option', 'Won=Closed', '--name', 'Phase');
    await ok('undo');
    const [first] = (await rows('attrs', 'list', 'deals')).filter(({ slug }) => slug === 'stage');
    expect(first).toMatchObject({
      name: 'Stage',
      config: {
        options: [
          { id: 'o-open', label: 'Open' },
          { id: 'o-won', label: 'Won' },
        ],
      },
    });
  });

  it('says when the API cannot take a bound away again', async () => {
    await ok('attrs', 'update', 'deals', 'size', '--name', 'Heads', '--min', '1');
    const { code, stdout } = await run(['undo', '-y', '-o', 'json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      6,
      [{ outcome: 'failed', error: expect.stringContaining('cannot remove min') }],
    ]);
    const [size] = (await rows('attrs', 'list', 'deals')).filter(({ slug }) => slug === 'size');
    expect(size?.name).toBe('Size');
  });

  it('restores a list with all in it, and the changes before it was deleted', async () => {
    const before = await rows('entries', 'list', 'deals', '--archived');
    await ok('lists', 'update', 'deals', '--name', 'Deals!', '--description', 'x', '--keep-undo');
    await ok('undo');
    await ok('lists', 'delete', 'deals', '--keep-undo');
    expect((await run(['entries', 'list', 'deals'])).code).toBe(3);
    const undone = await run(['undo', '-y', '-o', 'json']);
    expect([undone.code, JSON.parse(undone.stdout)]).toMatchObject([
      0,
      [{ outcome: 'recreated', what: 'list "Deals"', error: null }],
    ]);
    const after = await rows('entries', 'list', 'deals', '--archived');
    const bare = (all: Record<string, unknown>[]) =>
      all.map(({ title, values: kept, archived, position }) => ({ title, values: kept, archived, position }));
    expect(bare(after)).toEqual(bare(before));
    const lists = await rows('lists', 'list');
    expect(lists.find(({ slug }) => slug === 'deals')).toMatchObject({
      name: 'Deals',
      description: 'Companies we look at',
    });
  });

  it('says that what was not read cannot come back', async () => {
    await ok('entries', 'delete', 'deals', ids.acme);
    const { code, stderr, requests } = await run(['undo', '-y']);
    expect([code, requests.some(({ method }) => method !== 'GET')]).toEqual([1, false]);
    expect(stderr).toContain('was not read');
  });

  it('refuses another API and another company', async () => {
    await ok('entries', 'update', 'deals', 'Børealis', '--set', 'amount=9');
    const other = await run(['undo', '-y'], { env: { COMEM_BASE_URL: 'https://other.example' } });
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('https://world.example')]);
    const company = await run(['undo', '-y', '-c', ids.nothing]);
    expect([company.code, company.stderr]).toEqual([2, expect.stringContaining(ids.company)]);
  });

  it('reverts what `comem api` wrote, and a run that never heard the answer', async () => {
    const body = ['-f', 'name=Other'];
    await ok('api', 'PATCH', `/api/lists/${ids.deals}`, ...body, '--keep-undo');
    expect(await rows('history')).toMatchObject([{ command: 'api', changed: '1 list changed', undo: 'yes' }]);
    await ok('undo');
    expect((await rows('lists', 'list')).map(({ name }) => name)).toContain('Deals');
    const lost: typeof world.transport = async (request) => {
      const answer = await world.transport(request);
      if (request.method === 'PATCH') throw new Error('socket hang up');
      return answer;
    };
    await run(['entries', 'update', 'deals', 'Børealis', '--set', 'amount=9', '--retries', '0'], { transport: lost });
    expect(await rows('history', '3')).toMatchObject([{ outcome: 'unknown' }]);
    await ok('undo');
    expect(await values('Børealis')).toMatchObject({ amount: 7 });
  });
});

describe('on a terminal', () => {
  it('reads a list of up to 5,000 entries for it by itself', async () => {
    const argv = ['entries', 'archive', ids.deals, ids.acme];
    const result = await run(argv, { tty: true });
    expect(sent(result).filter((line) => line.startsWith('GET') && line.endsWith('/entries')).length).toBeGreaterThan(
      0,
    );
    expect(await rows('history')).toMatchObject([{ undo: 'yes' }]);
    const long: typeof world.transport = async (request) => {
      const answer = await world.transport(request);
      return {
        ...answer,
        headers: {
          ...answer.headers,
          ...(answer.headers['x-list-total-count'] ? { 'x-list-total-count': '5001' } : {}),
        },
      };
    };
    await run(['entries', 'archive', ids.deals, ids.borealis], { tty: true, transport: long });
    expect((await rows('history'))[0]).toMatchObject({ undo: 'no', why: expect.stringContaining('5000') });
  });
});

it('says how to create a grant like one that was revoked', () => {
  const before = { recipient_company_id: 'c', metric_ids: ['mrr', 'arr'], include_historical: true, note: "it's" };
  const settings = { profile: { value: 'demo', origin: 'flag' as const, from: '--profile' } };
  const write = { n: 1, method: 'PATCH' as const, path: '/', op: 'revokeGrant' };
  expect(whyNotUndone({ ...write, before }, settings)).toBe(
    "a revocation cannot be reverted; to create a grant like it: comem -p demo grants create --recipient c -m mrr,arr --historical --note 'it'\\''s'",
  );
  expect(whyNotUndone({ ...write, before: { recipient_user_id: 'u' } }, settings)).toBe(
    'a revocation cannot be reverted; to create a grant like it: comem -p demo grants create --recipient-user u --all',
  );
});
