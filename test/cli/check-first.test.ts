/** What was given is checked before a person is asked for the rest. */
import { expect, it } from 'vitest';
import { run } from '../helpers/run.ts';

it.each([
  [['entries', 'create', 'hiring', '--set', 'stge=Applied'], 'the list has no attribute "stge"'],
  [['entries', 'create', 'hiring', '--set', 'stage=Nowhere'], 'unknown option "Nowhere" of stage'],
  [['entries', 'create', 'hiring', '--title', 'Ada', '--set', 'score=high'], 'score must be a'],
  [
    ['entries', 'create', 'hiring', '--set', 'stage=Nowhere', '--set', 'score=high'],
    '2 values cannot be set: --set: unknown option "Nowhere" of stage',
  ],
  [['entries', 'update', 'hiring', '--set', 'stge=Applied'], 'the list has no attribute "stge"'],
  [['attrs', 'create', 'hiring', '--option', 'A', '--option', 'A'], 'the option "A" exists already'],
  [['attrs', 'create', 'hiring', 'Size', '--min', '3', '--max', '2'], '--min 3 is above --max 2'],
  [['attrs', 'create', 'hiring', '--body', 'x'], '--body takes KEY=VALUE'],
  [['attrs', 'update', 'hiring', '--required', '--optional'], '--required and --optional cannot be used together'],
  [['lists', 'create', '--data', '{'], '--data: not JSON'],
  [['lists', 'update'], 'nothing to change'],
  [['grants', 'create', '--expires', 'soon'], '--expires'],
])('%j', async (argv, says) => {
  // Whoever is asked types a title, and gets no further.
  const { code, stderr, requests } = await run(argv, { tty: true, columns: 200, answers: [['Title', 'X\r']] });
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
  expect(stderr).not.toMatch(/^\? |:\s*$/m);
  expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

it('once the list is chosen, before the title', async () => {
  const answers = [
    ['List:', 'hiring'],
    ['❯ Hiring', '\r'],
  ] as const;
  const { code, stderr } = await run(['entries', 'create', '--set', 'stge=x'], { tty: true, columns: 200, answers });
  expect([code, stderr]).toEqual([2, expect.stringContaining('the list has no attribute "stge"')]);
  expect(stderr).not.toContain('Title');
});

it('attrs update asks for its attribute, and for nothing else before it', async () => {
  const answers = [
    ['Attribute:', 'score'],
    ['❯ Score', '\r'],
  ] as const;
  const argv = ['attrs', 'update', 'hiring', '--name', 'Points', '--dry-run', '-o', 'json'];
  const { code, stderr, stdout } = await run(argv, { tty: true, columns: 200, answers });
  expect([code, JSON.parse(stdout)]).toMatchObject([0, [{ body: { name: 'Points' } }]]);
  expect(stderr.match(/^\? \S+/m)?.[0]).toBe('? Attribute:');
});
