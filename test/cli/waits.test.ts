/** What a terminal shows while a command waits: nothing for a moment, then one line that is gone at the end. */
import { expect, it } from 'vitest';
import type { Transport } from '../../src/core/wire.ts';
import { freshApi, run } from '../helpers/run.ts';

const clear = '\r\u001b[K';

let api: ReturnType<typeof freshApi> | undefined;

async function slow(ms: number): Promise<Transport> {
  api ??= freshApi();
  const { transport } = await api;
  return async (request) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return transport(request);
  };
}

it.each([
  [['grants', 'list'], 'Reading grants…'],
  [['lists', 'list'], 'Reading lists…'],
  [['metrics', 'catalog'], 'Reading catalog…'],
  [['entries', 'list', 'deal-pipeline', '--limit', '1'], 'Reading deal-pipeline…'],
])('%s shows what it reads', async (argv, says) => {
  const { stderr, stdout, code } = await run(argv, { tty: true, waits: true, transport: await slow(450) });
  expect(code).toBe(0);
  expect(stderr).toContain(says);
  expect(stdout).not.toContain(says);
  // The last of them is removed before anything else is said.
  const parts = stderr.split(clear);
  expect(parts.findLastIndex((part) => part.includes(says))).toBeLessThan(parts.length - 1);
});

it('shows nothing in a pipe, under --quiet, and says it once where a line cannot be replaced', async () => {
  const transport = await slow(450);
  expect((await run(['grants', 'list'], { waits: true, transport })).stderr).toBe('');
  const quiet = await run(['grants', 'list', '--quiet'], { tty: true, waits: true, transport });
  expect(quiet.stderr).toBe('');
  const dumb = await run(['grants', 'list'], { tty: true, waits: true, transport, env: { TERM: 'dumb' } });
  expect(dumb.stderr.split('Reading grants')).toHaveLength(2);
  expect(dumb.stderr).not.toContain('\u001b');
});
