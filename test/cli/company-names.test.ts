/** Names that the API gives companies, as words of the user and in messages. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { demo } from '../../src/core/demo.ts';
import type { Embedded } from '../../src/server/embedded.ts';
import { freshApi, run as runProgram } from '../helpers/run.ts';

const home = mkdtempSync(join(tmpdir(), 'comem-names-'));
const cache = join(home, 'comem');
const { lumen, harbor, alder } = demo.companies;
let api: Embedded;
beforeAll(async () => {
  api = await freshApi();
});
beforeEach(() => rmSync(cache, { recursive: true, force: true }));
afterAll(() => rmSync(home, { recursive: true }));

const run = (argv: readonly string[]) => runProgram(argv, { transport: api, env: { XDG_CACHE_HOME: home } });
const asksNames = ({ requests }: { requests: readonly { path: string }[] }) =>
  requests.filter(({ path }) => path.startsWith('/api/metrics/published/')).length;
const live = (company: string) => run(['-p', 'demo', 'metrics', 'live', '-c', company, '-o', 'csv']);

it('are words for -c in any case, and asked for once', async () => {
  const first = await live('lumen ANALYTICS');
  expect([first.code, first.requests.at(-1)?.query.companyId]).toEqual([0, lumen]);
  expect(asksNames(first)).toBeGreaterThan(1);
  expect(asksNames(await live('Lumen Analytics'))).toBe(0);
  const unknown = await live('Lumen Analytica');
  expect([unknown.code, asksNames(unknown)]).toEqual([3, 0]);
});

it.each(['lumen', lumen, '@portfolio'])('are not asked for where a company is %s', async (word) => {
  const { requests } = await run(['-p', 'demo', 'metrics', 'growth', '-m', 'mrr', '-c', word, '-o', 'csv']);
  const asked = requests.filter(({ path }) => path.startsWith('/api/metrics/published/'));
  expect(asked).toEqual([]);
});

it('of several companies are refused with the candidates', async () => {
  const kept = { name: 'Twin', at: demo.now };
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, 'company-names.json'), JSON.stringify({ 'embedded:': { [lumen]: kept, [harbor]: kept } }));
  const { code, stderr, requests } = await live('twin');
  expect([code, requests]).toEqual([2, []]);
  expect(stderr).toContain(`2 companies are named "twin": lumen (${lumen}), harbor (${harbor})`);
});

it('stand for ids in what the API refuses', async () => {
  const { code, stderr } = await run(['-p', 'demo', 'lists', 'list', '-c', alder]);
  expect(code).toBe(4);
  expect(stderr).toMatch(/not a member of company alder \(/);
});
