/** A server that answers every creation with one id has perhaps created one thing: that is said, once. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { cannedApi } from '../helpers/canned-api.ts';
import { run } from '../helpers/run.ts';

const cwd = mkdtempSync(join(tmpdir(), 'comem-one-id-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
const rows = 'title,stage\nNew,Won\nNewer,Won\nNewest,Lead\n';

/** The API that gives each creation the same id. */
it.each([
  'entries import deals - --mode insert --yes',
  'entries import deals - --yes',
  'entries import deals - --mode insert --yes --concurrency 8',
])('%s', async (line) => {
  const argv = [...line.split(' '), '-o', 'json'];
  const { code, stdout, stderr } = await run(argv, { cwd, home: cwd, stdin: rows, transport: cannedApi() });
  expect(stderr.match(/several creations were answered with the id "[^"]+": check what exists/g)).toHaveLength(1);
  expect(JSON.parse(stdout), stderr).toMatchObject({ created: 3 });
  expect(code).toBe(0);
});
