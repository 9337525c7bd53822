import { afterAll, beforeAll, expect, it } from 'vitest';
import { ids, type ServedWorld, servedWorld } from '../helpers/lists-world.ts';

let world: ServedWorld;
beforeAll(async () => {
  world = await servedWorld();
});
afterAll(() => world.close());

const wrongSession = { COMEM_SESSION_COOKIE: 'comem-auth-token=wrong' };

it('list', async () => {
  const won = await world.comem([
    'entries',
    'list',
    'deals',
    '--filter',
    'stage=won',
    '--fields',
    'title,amount',
    '-o',
    'csv',
  ]);
  expect(won).toMatchObject({ code: 0, stderr: '', stdout: 'title,amount\n"Acme, ""Rockets""",1250000.5\n' });
  expect(await world.comem(['entries', 'list', 'deals', '--filter', 'stage=gone'])).toMatchObject({
    code: 2,
    stdout: '',
  });
  expect(await world.comem(['entries', 'list', 'deals', '--fields', 'nope'])).toMatchObject({ code: 2, stdout: '' });
  expect(await world.comem(['entries', 'list', ids.nothing])).toMatchObject({ code: 3, stdout: '' });
  expect(await world.comem(['entries', 'list', 'deals'], wrongSession)).toMatchObject({ code: 4, stdout: '' });
  expect(await world.comem(['entries', 'list', 'empty', '--fail-empty', '-o', 'ndjson'])).toMatchObject({
    code: 1,
    stdout: '',
  });
});

it('count', async () => {
  expect(await world.comem(['entries', 'count', 'deals', '--archived'])).toMatchObject({
    code: 0,
    stderr: '',
    stdout: '5\n',
  });
  expect(await world.comem(['entries', 'count', 'deals', '--search', 'nobody', '--fail-empty'])).toMatchObject({
    code: 1,
  });
  expect(await world.comem(['entries', 'count', 'deals', '--filter', 'nope=1'])).toMatchObject({ code: 2, stdout: '' });
  expect(await world.comem(['entries', 'count', 'nowhere'])).toMatchObject({ code: 3, stdout: '' });
  expect(await world.comem(['entries', 'count', 'deals'], wrongSession)).toMatchObject({ code: 4, stdout: '' });
});

it('get', async () => {
  const got = await world.comem(['entries', 'get', 'deals', 'Børealis', '--jq', '.values.amount']);
  expect(got).toMatchObject({ code: 0, stdout: '7\n' });
  expect(await world.comem(['entries', 'get', 'deals', 'Twin'])).toMatchObject({ code: 2, stdout: '' });
  expect(await world.comem(['entries', 'get', 'deals', ids.nothing])).toMatchObject({ code: 3, stdout: '' });
});

it('create, update, archive, unarchive, delete', async () => {
  const made = await world.comem([
    'entries',
    'create',
    'deals',
    '--title',
    'New',
    '--set',
    'stage=Open',
    '--set',
    'since=today',
    '-o',
    'id',
  ]);
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/) });
  expect(await world.comem(['entries', 'create', 'deals', '--title', 'X', '--set', 'hot=maybe'])).toMatchObject({
    code: 2,
    stdout: '',
  });
  expect(await world.comem(['entries', 'create', 'deals', '--title', 'X'], wrongSession)).toMatchObject({
    code: 4,
    stdout: '',
  });
  const id = made.stdout.trim();
  const changed = await world.comem([
    'entries',
    'update',
    'deals',
    'New',
    '--set',
    'stage=Won',
    '--unset',
    'since',
    '--fields',
    'stage,since',
    '-o',
    'csv',
  ]);
  expect(changed).toMatchObject({ code: 0, stdout: 'stage,since\nWon,\n' });
  expect(await world.comem(['entries', 'update', 'deals', ids.nothing, '--title', 'x'])).toMatchObject({
    code: 3,
    stdout: '',
  });
  expect(await world.comem(['entries', 'update', 'deals', 'New', '--set', 'nope=1'])).toMatchObject({
    code: 2,
    stdout: '',
  });
  expect(await world.comem(['entries', 'archive', 'deals', id, ids.nothing, '-o', 'id'])).toMatchObject({
    code: 7,
    stdout: `${id}\n`,
  });
  expect(await world.comem(['entries', 'unarchive', 'deals', 'New', '-o', 'id'])).toMatchObject({
    code: 0,
    stdout: `${id}\n`,
  });
  expect(await world.comem(['entries', 'archive', 'deals', id], wrongSession)).toMatchObject({ code: 4, stdout: '' });
  expect(await world.comem(['entries', 'delete', 'deals', id])).toMatchObject({ code: 2, stdout: '' });
  expect(await world.comem(['entries', 'delete', 'deals', id, '--yes'])).toMatchObject({ code: 0, stdout: '' });
  expect(await world.comem(['entries', 'delete', 'deals', id, '--yes'])).toMatchObject({ code: 3, stdout: '' });
});

it('step', async () => {
  const step = ['entries', 'step', 'deals', ids.acme, '-o', 'json'];
  expect(await world.comem(step, { COMEM_API_KEY: undefined })).toMatchObject({ code: 4, stdout: '' });
  const queued = await world.comem(step);
  expect([queued.code, JSON.parse(queued.stdout)]).toEqual([0, expect.objectContaining({ queued: true })]);
  const refused = await world.comem(['entries', 'step', 'deals', ids.old, '-o', 'json']);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('archived') });
  expect(JSON.parse(refused.stdout)).toMatchObject({ queued: false, canStep: false });
  expect(await world.comem(['entries', 'step', 'deals', ids.nothing])).toMatchObject({ code: 3, stdout: '' });
  expect(await world.comem([...step, '--data', '[1]'])).toMatchObject({ code: 2, stdout: '' });
});
