/** After a write, a terminal says how it is reverted, where it can be. */
import { expect, it } from 'vitest';
import { run } from '../helpers/run.ts';

const create = ['entries', 'create', 'hiring', '--title', 'Ada Byron', '--set', 'stage=Applied'];
const says = /undo it with comem (\S+ \S+ )?undo/;

it('is undo, once, for what can be undone', async () => {
  const { stderr } = await run(create, { tty: true });
  expect(stderr.match(says)?.[0]).toBe('undo it with comem undo');
  expect(stderr.trimEnd().split('\n').at(-1)).toMatch(says);
  const undone = await run(['undo', '--yes'], { tty: true });
  expect([undone.code, says.test(undone.stderr)]).toEqual([0, false]);
});

it('names the profile that was named', async () => {
  const { stderr } = await run(['-p', 'demo', ...create], { tty: true });
  expect(stderr).toContain('undo it with comem -p demo undo');
});

it.each([
  ['a pipe', create, {}],
  ['--quiet', [...create, '--quiet'], { tty: true }],
  ['what only reads', ['lists', 'list'], { tty: true }],
  ['a revocation', ['grants', 'revoke', '--expired', '--yes'], { tty: true }],
  ['what was only shown', [...create, '--dry-run'], { tty: true }],
])('is not said of %s', async (_, argv, options) => {
  const { code, stderr } = await run(argv, options);
  expect([code, says.test(stderr)]).toEqual([0, false]);
});
