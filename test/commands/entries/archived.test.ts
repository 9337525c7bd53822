import { expect, it } from 'vitest';
import type { Transport } from '../../../src/core/wire.ts';
import { freshApi, run } from '../../helpers/run.ts';

/** A server whose default includes archived entries, and one that does not know the parameter. */
function including(transport: Transport, knows: boolean): Transport {
  return (request) => {
    const url = new URL(request.url);
    const { searchParams: query } = url;
    const isEntries = request.method === 'GET' && url.pathname.endsWith('/entries');
    if (isEntries && !(knows && query.has('archived')) && !query.has('archivedOnly')) query.set('archived', 'true');
    return transport({ ...request, url: url.href });
  };
}

const shared = freshApi();

const readers = [
  ['entries', 'list', 'hiring', '-o', 'json', '--jq', 'length'],
  ['entries', 'count', 'hiring'],
  ['check', 'entries', 'hiring', '--expect', 'count >= 1', '-o', 'json'],
];

it.each(readers)('%s %s %s does not count the archived entries of a server with another default', async (...argv) => {
  const { transport } = await shared;
  const expected = await run(argv, { transport });
  const found = await run(argv, { transport: including(transport, true) });
  expect(expected.code).toBe(0);
  const timeless = (text: string) => text.replace(/"durationMs": \d+/, '');
  expect(timeless(found.stdout)).toBe(timeless(expected.stdout));
});

it.each([true, false])('delete --all keeps archived entries (the server knows archived: %s)', async (knows) => {
  const { transport } = await freshApi();
  const all = ['entries', 'list', 'hiring', '--archived-only', '-o', 'id'];
  const archived = await run(all, { transport });
  expect(archived.stdout.trim().split('\n').length).toBeGreaterThan(2);
  const limited = ['entries', 'delete', 'hiring', '--where', 'stage is not empty', '--yes', '-o', 'csv'];
  const deleted = await run(limited, { transport: including(transport, knows) });
  expect(deleted.code).toBe(knows ? 0 : 6);
  expect((await run(all, { transport })).stdout).toBe(archived.stdout);
});
