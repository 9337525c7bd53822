/** How many requests of a command wait for one another: each costs the latency of the network. */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Transport } from '../../src/core/wire.ts';
import { temporaryFolder } from '../helpers/cli.ts';
import { freshApi, run } from '../helpers/run.ts';

/** Long enough for what is sent at the same time, and short beside a test. */
const latency = 40;

/** A transport that counts the longest chain of requests of which each was sent after an answer to the one before. */
function counting(send: Transport) {
  const chain = { length: 0 };
  const transport: Transport = async (request) => {
    const length = chain.length + 1;
    await wait(latency);
    const response = await send(request);
    chain.length = Math.max(chain.length, length);
    return response;
  };
  return { chain, transport };
}

async function roundTrips(argv: readonly string[], home: string, send: Transport): Promise<number> {
  const { chain, transport } = counting(send);
  const { code, stderr } = await run(argv, { home, transport });
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return chain.length;
}

it.each([
  ['entries list hiring', 2, 1],
  ['entries list hiring --limit 5 -o json', 2, 1],
  ['entries list hiring --filter stage=Hired', 3, 2],
  ['metrics board', 2, 2],
  ['metrics board -m mrr --last 4q', 2, 2],
])('%s waits for %d answers in a row, and for %d when names are known', async (line, first, later) => {
  const { transport } = await freshApi();
  const home = temporaryFolder();
  expect(await roundTrips(line.split(' '), home, transport)).toBeLessThanOrEqual(first);
  expect(await roundTrips(line.split(' '), home, transport)).toBeLessThanOrEqual(later);
});

it('entries update TITLE waits for three answers in a row, and for two when names are known', async () => {
  const { transport } = await freshApi();
  const home = temporaryFolder();
  const { stdout } = await run(['entries', 'list', 'hiring', '--limit', '1', '-o', 'json'], { transport });
  const [{ title }] = JSON.parse(stdout);
  const update = (notes: string) =>
    roundTrips(
      ['entries', 'update', 'hiring', title, '--data', JSON.stringify({ position: notes.length })],
      home,
      transport,
    );
  expect(await update('a')).toBeLessThanOrEqual(3);
  expect(await update('bb')).toBeLessThanOrEqual(2);
});

it('a known name is checked by the answer: a list that has it now is read instead', async () => {
  const { transport } = await freshApi();
  const home = temporaryFolder();
  const options = { home, transport };
  const count = async () =>
    (await run(['entries', 'list', 'hiring', '-o', 'id'], options)).stdout.split('\n').length - 1;
  const before = await count();
  expect(before).toBeGreaterThan(0);
  await run(['lists', 'delete', 'hiring', '--yes'], options);
  const gone = await run(['entries', 'list', 'hiring'], options);
  expect(gone).toMatchObject({ code: 3, stderr: expect.stringContaining('list "hiring" not found') });
});
