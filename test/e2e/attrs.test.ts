import { afterAll, beforeAll, expect, it } from 'vitest';
import { ids, type ServedWorld, servedWorld } from '../helpers/lists-world.ts';

let world: ServedWorld;
beforeAll(async () => {
  world = await servedWorld();
});
afterAll(() => world.close());

const wrongSession = { COMEM_SESSION_COOKIE: 'comem-auth-token=wrong' };

it('list', async () => {
  const { stdout, code } = await world.comem(['attrs', 'list', 'deals', '--fields', 'slug', '--no-header']);
  expect([code, stdout.split('\n').slice(0, 2)]).toEqual([0, ['stage', 'tags']]);
  expect(await world.comem(['attrs', 'list', ids.nothing])).toMatchObject({ code: 3, stdout: '' });
  expect(await world.comem(['attrs', 'list', 'deals'], wrongSession)).toMatchObject({ code: 4, stdout: '' });
});

it('create', async () => {
  const argv = [
    'attrs',
    'create',
    'empty',
    'Phase',
    '--type',
    'status',
    '--option',
    'A:sage',
    '--option',
    'B: two',
    '--required',
  ];
  const made = await world.comem([...argv, '--fields', 'slug,options,is_required', '-o', 'csv']);
  expect(made).toMatchObject({ code: 0, stdout: 'slug,options,is_required\nphase,A; B: two,true\n' });
  expect(await world.comem(['attrs', 'create', 'empty', 'X', '--type', 'colour'])).toMatchObject({
    code: 2,
    stdout: '',
  });
  expect(await world.comem(['attrs', 'create', ids.nothing, 'X', '--type', 'text'])).toMatchObject({
    code: 3,
    stdout: '',
  });
  expect(await world.comem([...argv.slice(0, 5), 'text'], wrongSession)).toMatchObject({ code: 4, stdout: '' });
});

it('update', async () => {
  const argv = [
    'attrs',
    'update',
    'deals',
    'sector',
    '--add-option',
    'Water:cobalt',
    '--rename-option',
    'Energy=Power',
  ];
  const changed = await world.comem([...argv, '--fields', 'options', '-o', 'csv', '--no-header']);
  expect(changed).toMatchObject({ code: 0, stdout: 'Power; Water\n' });
  expect(await world.comem(['attrs', 'update', 'deals', 'sektor', '--name', 'X'])).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringContaining('did you mean "sector"?'),
  });
  expect(await world.comem(['attrs', 'update', 'deals', 'sector', '--remove-option', 'Fire'])).toMatchObject({
    code: 2,
    stdout: '',
  });
  expect(await world.comem(argv, wrongSession)).toMatchObject({ code: 4, stdout: '' });
});

it('delete', async () => {
  expect(await world.comem(['attrs', 'delete', 'deals', 'notes'])).toMatchObject({ code: 2, stdout: '' });
  expect(await world.comem(['attrs', 'delete', 'deals', 'notes', '-y'])).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('its values in 2 entries'),
  });
  expect(await world.comem(['attrs', 'delete', 'deals', 'notes', '-y'])).toMatchObject({ code: 3, stdout: '' });
});
