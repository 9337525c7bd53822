/** A server that answers every creation with one id has created one thing at most: the others are not called created. */
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
  expect(stderr).toMatch(/\\"id\\" of what was created before/);
  expect(JSON.parse(stdout), stderr).toMatchObject({ created: 1, failed: 2 });
  expect(code).toBe(7);
});

it('attributes of an import, of which the first is there when the second is created', async () => {
  const argv = 'entries import deals - --mode insert --create-attrs --yes -o json'.split(' ');
  const stdin = 'title,one,two\nNew,1,2\n';
  const { code, stderr } = await run(argv, { cwd, home: cwd, stdin, transport: cannedApi() });
  expect(stderr).toMatch(/of what was created before/);
  expect(code).toBe(6);
});
