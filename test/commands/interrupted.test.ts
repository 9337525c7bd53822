/** A signal ends the work of a command, and not what the command says of it: what was written is known afterwards. */
import { expect, it } from 'vitest';
import type { Transport } from '../../src/core/wire.ts';
import { freshApi, run } from '../helpers/run.ts';

const rows = `title,stage\n${Array.from({ length: 40 }, (_, n) => `New ${n},Applied\n`).join('')}`;

/** The API of the demo, which a signal meets at its fifth write. */
async function interruptedApi() {
  const { transport } = await freshApi();
  const controller = new AbortController();
  let writes = 0;
  const counting: Transport = (request) => {
    if (request.method !== 'GET') writes += 1;
    if (writes === 5) controller.abort();
    return transport(request);
  };
  return { transport: counting, signal: controller.signal };
}

it.each([
  ['entries import hiring - --mode insert --yes', /\d of 40 writes were done.*--resume/],
  ['entries delete deal-pipeline --all --yes', /\d+ of 306 entries could not be deleted/],
  ['entries update deal-pipeline --all --set stage=Passed --yes', /entries could not be updated/],
])('%s', async (line, says) => {
  const { transport, signal } = await interruptedApi();
  const options = { transport, signal, stdin: line.includes('import') ? rows : undefined };
  const { code, stdout, stderr } = await run([...line.split(' '), '-o', 'json'], options);
  expect(code).toBe(130);
  // Complete JSON, which tells what was done.
  expect(() => JSON.parse(stdout)).not.toThrow();
  expect(stderr).toMatch(/interrupted: /);
  expect(stderr).not.toContain('while rows were written');
  expect(stderr).toMatch(says);
});
