/** `lists copy` and `lists diff` between two profiles, each on a world of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TransportError } from '../../../src/core/errors.ts';
import type { WireRequest } from '../../../src/core/wire.ts';
import { credentials, ids, listsWorld, type World } from '../../helpers/lists-world.ts';
import type { RunOptions, RunResult } from '../../helpers/run.ts';

let here: World;
let there: World;
let home: string;

const other = 'https://other.example';
const isThere = ({ url }: WireRequest) => new URL(url).origin === other;
const both: World['transport'] = (request) => (isThere(request) ? there : here).transport(request);
const run = (argv: string[], options: RunOptions = {}) => here.run(argv, { home, transport: both, ...options });
const copy = (...argv: string[]) => run(['lists', 'copy', 'deals', '--to-profile', 'other', '-o', 'json', ...argv]);

beforeEach(async () => {
  [here, there] = [await listsWorld(), await listsWorld()];
  home = mkdtempSync(join(tmpdir(), 'comem-copy-'));
  const set = await run(['profiles', 'set', 'other', `base-url=${other}`, `company=${ids.company}`]);
  expect([set.code, set.stderr]).toEqual([0, '']);
  for (const [flag, stdin] of [
    ['--api-key-stdin', credentials.COMEM_API_KEY],
    ['--session-stdin', credentials.COMEM_SESSION_COOKIE],
  ] as const) {
    const login = await run(['auth', 'login', '-p', 'other', flag, '--no-check', '--storage', 'file'], { stdin });
    expect([login.code, login.stderr]).toEqual([0, expect.any(String)]);
  }
});
afterEach(async () => {
  rmSync(home, { recursive: true, force: true });
  await Promise.all([here.close(), there.close()]);
});

const rows = (result: RunResult) => JSON.parse(result.stdout) as Record<string, unknown>;
interface Entry {
  title: string;
  values: Record<string, unknown>;
  archived: boolean;
  position: number;
}

async function entriesThere(list: string): Promise<Entry[]> {
  return (await there.json(['entries', 'list', list, '--archived'])) as Entry[];
}

it('copies attributes, options and entries, option ids by label, in order, typed', async () => {
  await there.run(['lists', 'delete', 'deals', '--yes']);
  // A name that is newer than the slug: the copy has another slug, and the values follow.
  await here.run(['attrs', 'update', 'deals', 'amount', '--name', 'Volume', '--required']);
  const result = await copy('--with-entries', '--yes');
  expect([result.code, rows(result)]).toMatchObject([
    0,
    { id: expect.any(String), name: 'Deals', created: 1 + 12 + 5, updated: 1, failed: 0, not_tried: 0 },
  ]);
  expect(result.stderr).toContain(`Writing to ${other} with profile "other"`);
  expect(
    new Set(result.requests.filter(({ method }) => method !== 'GET').map(({ headers }) => headers.host ?? other)),
  ).toEqual(new Set([other]));
  const diff = await run(['lists', 'diff', 'deals', 'other:deals', '--exit-code', '-o', 'json']);
  expect([diff.code, JSON.parse(diff.stdout)]).toEqual([0, []]);
  const there404 = await run(['lists', 'diff', 'deals', 'other:delas']);
  expect([there404.code, there404.stderr]).toEqual([3, expect.stringContaining('list "delas" not found')]);
  const here404 = await run(['lists', 'diff', 'delas', 'other:deals']);
  expect([here404.code, here404.stderr]).toEqual([3, expect.stringContaining('list "delas" not found')]);
  const attributes = (await there.json(['attrs', 'list', 'deals'])) as {
    slug: string;
    is_required: boolean;
    config: { options?: { id: string; label: string }[] };
  }[];
  expect(attributes.find(({ slug }) => slug === 'volume')).toMatchObject({ is_required: true });
  const optionId = (slug: string, label: string) =>
    attributes.find((one) => one.slug === slug)?.config.options?.find((one) => one.label === label)?.id;
  expect(optionId('stage', 'Won')).not.toBe('o-won');
  const entries = await entriesThere('deals');
  expect(entries.map(({ title, archived }) => [title, archived])).toEqual([
    ['Acme, "Rockets"', false],
    ['Børealis', false],
    ['Old deal', true],
    ['Twin', false],
    ['Twin', false],
  ]);
  expect(entries[0]?.values).toEqual({
    stage: optionId('stage', 'Won'),
    tags: [optionId('tags', 'climate'), optionId('tags', 'space; deep tech')],
    volume: 1250000.5,
    since: '2024-02-29',
    site: 'https://acme.example',
    contact: 'ann@acme.example',
    hot: true,
    score: 4,
    size: 12,
    notes: 'first\nsecond',
  });
});

it('copies only the attributes, under another name, and asks first', async () => {
  const refused = await copy('--name', 'Copy');
  expect([refused.code, refused.requests.filter(({ method }) => method !== 'GET')]).toEqual([2, []]);
  const result = await copy('--name', 'Copy', '--yes');
  expect([result.code, rows(result)]).toMatchObject([0, { name: 'Copy', created: 13 }]);
  expect(await entriesThere('copy')).toEqual([]);
  expect(await here.json(['lists', 'list', '--search', 'copy'])).toEqual([]);
});

it('does not write into a list of that name', async () => {
  const result = await copy('--yes');
  expect(result).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('has a list \\"Deals\\" already'),
  });
  expect(await run(['lists', 'copy', 'deals', '--to-profile', 'othr', '-y'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('did you mean "other"?'),
  });
});

it('obeys the guard rails of the profile that it writes to, and the dry run shows requests', async () => {
  await run(['profiles', 'set', 'other', 'readonly=true']);
  expect(await copy('--name', 'X', '--yes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('\\"other\\" is read-only'),
  });
  const dry = await copy('--name', 'X', '--with-entries', '--dry-run');
  const requests = JSON.parse(dry.stdout) as { method: string; url: string; body: { values?: unknown } }[];
  expect(requests).toHaveLength(1 + 12 + 5);
  expect(requests.every(({ url }) => url.startsWith(other))).toBe(true);
  expect(requests[13]?.body).toMatchObject({ values: { stage: 'Won', tags: ['climate', 'space; deep tech'] } });
  expect(dry.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

it('says when values name removed options, and leaves them out when told to', async () => {
  await here.run(['attrs', 'update', 'deals', 'stage', '--remove-option', 'Won', '-y']);
  const refused = await copy('--name', 'X', '--with-entries', '--yes');
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('stage = o-won') });
  expect((await copy('--name', 'X', '--with-entries', '--drop-removed', '--yes')).code).toBe(0);
  expect((await entriesThere('x'))[0]?.values).not.toHaveProperty('stage');
});

it('reports a partial failure with 7, and --resume writes what is missing, nothing twice', async () => {
  await here.run(['attrs', 'update', 'deals', 'size', '--required']);
  const failing: World['transport'] = async (request) =>
    isThere(request) && request.method === 'POST' && /Twin|Old/.test(request.body ?? '')
      ? { status: 422, headers: {}, body: Buffer.from('{"error":"no","status":422}') }
      : both(request);
  const argv = ['--name', 'X', '--with-entries', '--yes'];
  const broken = await run(['lists', 'copy', 'deals', '--to-profile', 'other', '-o', 'json', ...argv], {
    transport: failing,
  });
  expect([broken.code, rows(broken)]).toMatchObject([7, { created: 13 + 2, failed: 3, not_tried: 1 }]);
  expect(broken.stderr).toContain('--resume');
  const resumed = await copy(...argv, '--resume');
  expect([resumed.code, rows(resumed)]).toMatchObject([0, { created: 3, updated: 1, failed: 0 }]);
  expect((await entriesThere('x')).map(({ title }) => title)).toEqual([
    'Acme, "Rockets"',
    'Børealis',
    'Old deal',
    'Twin',
    'Twin',
  ]);
  const again = await copy(...argv, '--resume');
  expect([again.code, rows(again)]).toMatchObject([0, { created: 0, updated: 0 }]);
});

it('writes each entry once when answers are lost after the write was taken', async () => {
  let posts = 0;
  const dropping: World['transport'] = async (request) => {
    const answer = await both(request);
    if (isThere(request) && request.method === 'POST') {
      posts += 1;
      if (posts % 3 === 0) throw new TransportError('the connection was lost', true, 'network');
    }
    return answer;
  };
  const argv = [
    'lists',
    'copy',
    'deals',
    '--to-profile',
    'other',
    '--name',
    'X',
    '--with-entries',
    '--yes',
    '-o',
    'json',
  ];
  const result = await run(argv, { transport: dropping });
  expect([result.code, rows(result)]).toMatchObject([0, { created: 18, failed: 0 }]);
  expect((await entriesThere('x')).map(({ title }) => title)).toEqual([
    'Acme, "Rockets"',
    'Børealis',
    'Old deal',
    'Twin',
    'Twin',
  ]);
});

it('keeps what it changed in the journal of the profile that it wrote to', async () => {
  await here.run(['attrs', 'update', 'deals', 'size', '--required']);
  expect((await copy('--name', 'X', '--with-entries', '--yes', '--keep-undo')).code).toBe(0);
  const history = async (...argv: string[]) =>
    JSON.parse((await run(['history', ...argv, '-o', 'json'])).stdout) as Record<string, unknown>[];
  expect((await history('-p', 'default')).map(({ command }) => command)).not.toContain('lists copy');
  expect(await history('-p', 'other')).toMatchObject([
    {
      command: 'lists copy',
      changed: '1 list created, 12 attributes created, 5 entries created, 1 attribute changed',
      undo: 'yes',
      base_url: other,
      company: ids.company,
    },
  ]);
  const required = async () =>
    ((await there.json(['attrs', 'list', 'x'])) as { slug: string; is_required: boolean }[]).find(
      ({ slug }) => slug === 'size',
    )?.is_required;
  expect(await required()).toBe(true);
  const undone = await run(['undo', '-p', 'other', '--yes']);
  expect([undone.code, undone.stderr]).toEqual([0, expect.stringContaining('1 restored, 18 deleted, 0 failed.')]);
  expect(((await there.json(['lists', 'list'])) as { name: string }[]).map(({ name }) => name)).not.toContain('X');
});

it('leads to a stored credential of the profile, since one named with a colon takes none from the environment', async () => {
  await run(['profiles', 'set', 'bare', `base-url=${other}`, `company=${ids.company}`]);
  const { code, stderr } = await run(['lists', 'diff', 'deals', 'bare:deals'], { env: { COMEM_PROFILE: 'other' } });
  expect(code).toBe(4);
  expect(stderr).toMatch(/hint: save its own with `comem auth login -p bare --stdin (?:key|session)`/);
  expect(stderr).toContain('the environment gives profile "bare" none');
  expect(stderr).not.toContain('instead of -p');
});
