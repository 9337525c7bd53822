/** `mirror sync` and the commands that look at a mirror, on the demo's API and on one that misbehaves. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { demo } from '../../../src/core/demo.ts';
import type { Transport, WireRequest, WireResponse } from '../../../src/core/wire.ts';
import { beginSync } from '../../../src/mirror/writer.ts';
import { freshApi, type RunOptions, run } from '../../helpers/run.ts';

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
});

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'comem-mirror-'));
  made.push(folder);
  return folder;
}

type Change = (request: WireRequest, next: Transport) => Promise<WireResponse> | undefined;

let unchanged: ReturnType<typeof freshApi> | undefined;

/** A folder for a mirror, and how to run commands: on an API of its own, or on one that no test changes. */
async function world(which: 'own' | 'shared' = 'shared') {
  unchanged ??= freshApi();
  const api = await (which === 'own' ? freshApi() : unchanged);
  const folder = join(temporary(), 'm');
  let change: Change = () => undefined;
  const transport: Transport = async (request) => (await change(request, api.transport)) ?? api.transport(request);
  const comem = (argv: readonly string[], options: RunOptions = {}) => run(argv, { transport, ...options });
  return {
    folder,
    comem,
    through(next: Change) {
      change = next;
    },
    async sync(...flags: string[]) {
      const result = await comem(['mirror', 'sync', folder, '-o', 'json', ...flags]);
      const rows = result.stdout === '' ? [] : (JSON.parse(result.stdout) as Row[]);
      return { ...result, rows };
    },
    /** What changed since the first sync. */
    async log(...words: string[]) {
      const { stdout } = await comem(['mirror', 'log', ...words, '-o', 'json'], { env: { COMEM_MIRROR: folder } });
      return JSON.parse(stdout) as Record<string, unknown>[];
    },
  };
}

interface Row {
  part: string;
  name: string;
  read: number;
  added: number;
  changed: number;
  deleted: number;
  outcome: string;
  reason: string | null;
}

const json = (status: number, body: unknown): WireResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(body)),
});
const isEntries = ({ url }: WireRequest) => /\/entries\?/.test(url);
const offsetOf = ({ url }: WireRequest) => Number(new URL(url).searchParams.get('offset') ?? 0);
const changes = (rows: readonly Row[]) => rows.map(({ added, changed, deleted }) => added + changed + deleted);
const total = (rows: readonly Row[]) => changes(rows).reduce((sum, n) => sum + n, 0);
const partOf = (rows: readonly Row[], part: string, name = '') =>
  rows.find((row) => row.part === part && row.name === name);

/** Where the newest sync and the API differ. */
async function differences(comem: (argv: readonly string[]) => Promise<{ stdout: string }>, folder: string) {
  const { stdout } = await comem(['changes', '--live', '--mirror', folder, '-o', 'json']);
  return (JSON.parse(stdout) as unknown[]).length;
}

const some = ['--lists', 'hiring', '--metrics', 'none'];

describe('mirror sync', () => {
  it('reads everything once, and finds nothing new in the same', async () => {
    const { sync, folder, comem } = await world();
    const first = await sync();
    expect(first).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Sync 1, seen .*: \d+ added, 0 changed, 0 deleted\.\n$/),
    });
    expect(partOf(first.rows, 'entries', 'deal-pipeline')).toMatchObject({ read: 400, added: 400, outcome: 'read' });
    expect(new Set(first.rows.map(({ part }) => part))).toEqual(
      new Set(['lists', 'entries', 'catalog', 'series', 'plans', 'live', 'grants', 'preferences']),
    );
    const second = await sync();
    expect([second.code, total(second.rows)]).toEqual([0, 0]);
    expect(await differences(comem, folder)).toBe(0);
    // Only its owner may read it, and no credential is in it.
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) {
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
      const text = readFileSync(join(folder, name), 'latin1');
      for (const secret of ['owner-session', 'cmk_', 'Bearer', 'comem-auth-token']) expect(text).not.toContain(secret);
    }
  });

  it('shows what changed, options by their labels', async () => {
    const { sync, comem, log, folder } = await world('own');
    await sync('--lists', 'deal-pipeline');
    await comem(['entries', 'update', 'deal-pipeline', 'Kite Logistics', '--set', 'stage=Invested', '--yes']);
    expect(await differences(comem, folder)).toBe(1);
    await comem(['entries', 'create', 'deal-pipeline', '--title', 'Brand New', '--set', 'stage=Sourced']);
    const { rows } = await sync('--lists', 'deal-pipeline');
    expect(partOf(rows, 'entries', 'deal-pipeline')).toMatchObject({ added: 1, changed: 1, deleted: 0 });
    const logged = await log('deal-pipeline');
    expect(logged).toContainEqual(
      expect.objectContaining({
        kind: 'entry',
        what: 'Kite Logistics',
        change: 'changed',
        field: 'stage',
        after: 'Invested',
      }),
    );
    expect(logged).toContainEqual(expect.objectContaining({ what: 'Brand New', change: 'added', field: null }));
    expect(logged).toHaveLength(2);
  });
});

describe('data that changes while it is read', () => {
  const pages = ['--page-size', '50', ...['--lists', 'deal-pipeline', '--metrics', 'none']];
  const reread = (stderr: string) => stderr.split('\n').filter((line) => line.endsWith(': reading it again')).length;

  it.each([
    ['a row that comes twice', (rows: unknown[]) => [...rows.slice(0, -1), rows[0]]],
    ['a row that is skipped', (rows: unknown[]) => rows.filter((__, at) => at !== 5)],
    ['rows in another order', (rows: unknown[]) => [...rows].reverse()],
  ])('%s is seen and read again', async (_, break_) => {
    const { sync, through } = await world();
    let broken = 0;
    through((request, next) => {
      if (!isEntries(request) || offsetOf(request) < 100 || broken > 0) return undefined;
      broken += 1;
      return next(request).then((response) => ({
        ...response,
        body: Buffer.from(JSON.stringify(break_(JSON.parse(Buffer.from(response.body).toString()) as unknown[]))),
      }));
    });
    const { code, rows, stderr } = await sync(...pages);
    expect([code, broken, reread(stderr)]).toEqual([0, 1, 1]);
    expect(partOf(rows, 'entries', 'deal-pipeline')).toMatchObject({ read: 400, added: 400 });
  });

  it('a list that never stands still is stale, and as it was', async () => {
    const { sync, through, comem, folder } = await world();
    await sync(...pages);
    let n = 0;
    through((request, next) => {
      if (!isEntries(request)) return undefined;
      n += 1;
      return next(request).then((response) => ({
        ...response,
        headers: {
          ...response.headers,
          ...(response.headers['x-list-total-count'] && { 'x-list-total-count': `${400 + n}` }),
        },
      }));
    });
    const moving = await sync(...pages);
    expect([moving.code, reread(moving.stderr)]).toEqual([7, 2]);
    expect(partOf(moving.rows, 'entries', 'deal-pipeline')).toMatchObject({ outcome: 'stale', added: 0, deleted: 0 });
    through(() => undefined);
    expect(await differences(comem, folder)).toBe(0);
  });
});

describe('mirror status', () => {
  it('has the counts that the first sync reported, zero included', async () => {
    const { sync, comem, folder } = await world();
    const { rows } = await sync();
    const { stdout } = await comem(['mirror', 'status', folder, '-o', 'json']);
    const counts = JSON.parse(stdout).parts.map((part: Record<string, unknown>) => [part.current, part.versions]);
    const read = rows.map((row) => [row.read, row.added]);
    expect(counts.sort()).toEqual(read.sort());
    expect(counts.flat().every((count: unknown) => typeof count === 'number')).toBe(true);
  });

  it('has what the last sync added, changed and deleted', async () => {
    const { sync, comem, folder } = await world();
    const first = await sync();
    const second = await sync();
    const status = await comem(['mirror', 'status', folder, '-o', 'json']);
    const sum = (key: 'read' | 'added' | 'changed' | 'deleted') =>
      second.rows.reduce((total, row) => total + Number(row[key]), 0);
    expect(JSON.parse(status.stdout).lastCounts).toEqual({
      ...{ read: sum('read'), added: sum('added'), changed: sum('changed'), deleted: sum('deleted') },
    });
    expect(first.rows.length).toBeGreaterThan(0);
    expect(status.stderr).toContain('The last one: 0 added, 0 changed, 0 deleted.');
  });
});

describe('a part that cannot be read', () => {
  it('is stale with its reason, exit 7, and read again by the next sync', async () => {
    const { sync, through, comem, folder } = await world();
    await sync(...some);
    const live = (await comem(['entries', 'count', 'hiring'])).stdout;
    through((request) => (isEntries(request) ? Promise.resolve(json(403, { error: 'Not yours' })) : undefined));
    const refused = await sync(...some);
    expect(refused.code).toBe(7);
    expect(partOf(refused.rows, 'entries', 'hiring')).toMatchObject({
      outcome: 'stale',
      deleted: 0,
      reason: expect.stringContaining('Not yours'),
    });
    const status = await comem(['mirror', 'status', folder, '-o', 'json']);
    expect(JSON.parse(status.stdout).parts).toContainEqual(
      expect.objectContaining({ part: 'entries', name: 'hiring', state: 'stale', current: 64 }),
    );
    const count = ['entries', 'count', 'hiring', '--mirror', folder];
    for (const flags of [['--offline'], ['--as-of', '2027']]) {
      const asked = await comem([...count, ...flags]);
      expect(asked).toMatchObject({ code: 0, stdout: live, requests: [] });
      expect(asked.stderr).toMatch(
        /warning: the entries of the list "Hiring" could not be read by the newest sync: this is the state of an earlier one\n/,
      );
    }
    through(() => undefined);
    const again = await sync(...some);
    expect([again.code, total(again.rows)]).toEqual([0, 0]);
    expect((await comem([...count, '--offline'])).stderr).not.toContain('could not be read');
  });

  it('is deleted with all its entries when its list is gone', async () => {
    const { sync, comem, log } = await world('own');
    await sync(...some);
    await comem(['lists', 'delete', 'hiring', '--yes']);
    const { rows, code } = await sync(...some);
    expect(code).toBe(0);
    expect(partOf(rows, 'entries', 'hiring')).toMatchObject({ outcome: 'deleted', deleted: 64 });
    expect((await log('hiring')).filter(({ change }) => change !== 'removed')).toEqual([]);
  });

  it('leaves no mirror of nothing', async () => {
    const { sync, through, comem, folder } = await world();
    through(() => Promise.resolve(json(401, { error: 'Who are you?' })));
    expect((await sync()).code).toBe(4);
    expect(readdirSync(folder)).toEqual([]);
    expect(await comem(['mirror', 'status', folder])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('make one with `comem mirror sync DIR`'),
    });
  });

  it('does not write into files that a sync before it removed', async () => {
    const folder = join(temporary(), 'm');
    const first = await beginSync(folder, 'embedded:', '2026-01-01T00:00:00.000Z');
    const second = beginSync(folder, 'embedded:', '2026-01-01T00:00:00.000Z');
    await new Promise((resolve) => setTimeout(resolve, 200));
    await first.abandon(new Error('nothing could be read'));
    const isSound = await second.then(
      async (writer) => {
        const { length } = readdirSync(folder);
        await writer.abandon(new Error('the end'));
        return length > 0;
      },
      (error) => String(error).includes('its file was replaced'),
    );
    expect(isSound).toBe(true);
  });
});

describe('a read that fails', () => {
  const paths: Record<string, RegExp> = {
    everything: /./,
    'the lists': /\/api\/lists\?/,
    'the attributes of a list': /\/api\/lists\/[^/?]+$/,
    'the entries': /\/entries\?/,
    'the catalog': /\/metrics\/catalog/,
    series: /\/metrics\/series/,
    'live values': /\/metrics\?/,
    grants: /\/grants/,
    preferences: /\/preferences/,
    'what others published': /\/published\//,
  };
  const flags = ['--lists', 'hiring', '--metrics', 'arr', '--published', demo.companies.lumen];

  it.each(Object.entries(paths))('of %s says of nothing that it was deleted', async (_, path) => {
    const { sync, through, log, comem, folder } = await world();
    expect((await sync(...flags)).code).toBe(0);
    for (const status of [404, 403, 410, 500]) {
      let answered = 0;
      through(({ url, method }) => {
        if (method !== 'GET' || !path.test(url)) return undefined;
        answered += 1;
        return Promise.resolve(json(status, { error: 'Not found' }));
      });
      const { rows, code } = await sync(...flags, '--retries', '0');
      expect(answered).toBeGreaterThan(0);
      expect({ status, code, rows: rows.filter(({ deleted, changed }) => deleted + changed > 0) }).toMatchObject({
        code: expect.toSatisfy((one) => one !== 0 && one !== 70),
        rows: [],
      });
      // What the API may say by it: metrics of plans are not to be read, a grant without history.
      expect(await log()).toEqual([]);
    }
    through(() => undefined);
    const last = await sync(...flags);
    expect([last.code, total(last.rows)]).toEqual([0, 0]);
    expect(await differences(comem, folder)).toBe(0);
  });

  it('of preferences that never were is none', async () => {
    const { sync, through } = await world();
    through(({ url }) => (url.includes('/preferences') ? Promise.resolve(json(404, { error: 'None' })) : undefined));
    const { code, rows } = await sync(...some);
    expect([code, partOf(rows, 'preferences')]).toEqual([0, undefined]);
  });

  it.each([
    ['list', '/api/lists?', (body: object[]) => body],
    ['attribute', '/api/lists/', ({ list_attributes }: { list_attributes: object[] }) => list_attributes],
  ])('a %s without an id is no deletion', async (_, path, rowsOf) => {
    const { sync, through } = await world();
    await sync(...some);
    through((request, next) =>
      request.url.includes(path) && !isEntries(request)
        ? next(request).then((response) => {
            const body = JSON.parse(Buffer.from(response.body).toString());
            Reflect.deleteProperty(rowsOf(body).at(-1) ?? {}, 'id');
            return json(200, body);
          })
        : undefined,
    );
    const { rows, code } = await sync(...some);
    expect(code).not.toBe(0);
    expect(rows.filter(({ deleted }) => deleted > 0)).toEqual([]);
  });
});

describe('a narrow sync', () => {
  it('leaves the rest as it was', async () => {
    const { sync, comem, folder } = await world('own');
    await sync();
    await comem(['entries', 'delete', 'deal-pipeline', 'Kite Logistics', '--yes']);
    const { rows } = await sync('--lists', 'hiring', '--metrics', 'arr', '--from', '2026');
    expect([total(rows), rows.filter(({ part }) => part === 'entries').length]).toEqual([0, 1]);
    const { stdout, stderr } = await comem(['mirror', 'status', folder, '-o', 'json']);
    expect(stderr).toMatch(
      /: 2 syncs from 2026-03-31 \d\d:\d\d to 2026-03-31 \d\d:\d\d, [\d.]+ MiB\. The last one: \d+ added, 0 changed, 0 deleted\.\n/,
    );
    const states = new Map(
      (JSON.parse(stdout).parts as { name: string; part: string; state: string; current: number }[]).map((part) => [
        `${part.part} ${part.name}`,
        `${part.state} ${part.current}`,
      ]),
    );
    expect(states.get('entries deal-pipeline')).toBe('older 400');
    expect(states.get('entries hiring')).toBe('current 64');
  });
});

describe('what is refused', () => {
  it('says what is wrong, and loses nothing', async () => {
    const { sync, comem, folder } = await world();
    const other = temporary();
    writeFileSync(join(other, 'notes.txt'), 'mine');
    const notSqlite = temporary();
    writeFileSync(join(notSqlite, 'mirror.db'), 'not a database at all');
    const empty = temporary();
    mkdirSync(join(empty, 'sub'));
    const foreign = await comem(['mirror', 'sync', other]);
    expect(foreign).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a mirror: it holds other data') });
    expect(readdirSync(other)).toEqual(['notes.txt']);
    expect(await comem(['mirror', 'status', other])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('it has no mirror.db'),
    });
    expect(await comem(['mirror', 'sync', notSqlite])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is damaged'),
    });
    expect(await comem(['mirror', 'sync'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('DIR is missing'),
    });
    await sync(...some);
    const lumen = await comem(['mirror', 'sync', folder, '-c', 'c0ffee00-0000-4000-8000-000000000009']);
    expect(lumen).toMatchObject({ code: 2, stderr: expect.stringContaining('the mirror is of company') });
    const api = await comem(['mirror', 'sync', folder, '--base-url', 'https://other.example']);
    expect(api).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/was made from \S+, not from https:\/\/other\.example/),
    });
    expect(await comem(['mirror', 'sync', folder, '--lists', 'hirring'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean hiring?'),
    });
    expect(await differences(comem, folder)).toBe(0);
  });
});
