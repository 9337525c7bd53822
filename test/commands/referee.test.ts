/**
 * Every command that speaks to the API, with the OpenAPI document as the referee between client and server: neither may
 * send what the document does not allow.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { allCommands } from '../../src/cli/tree.ts';
import { operations } from '../../src/contract/index.ts';
import { demo } from '../../src/core/demo.ts';
import { tree } from '../../src/main.ts';
import type { Embedded } from '../../src/server/embedded.ts';
import { refereed, type Seen, violations } from '../helpers/referee.ts';
import { freshApi, run } from '../helpers/run.ts';

const cwd = mkdtempSync(join(tmpdir(), 'comem-referee-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
writeFileSync(join(cwd, 'rows.csv'), 'title,notes\nOne,first\nTwo,"second, with a comma"\n');
writeFileSync(join(cwd, 'check.yaml'), 'version: 1\nchecks:\n  - {list: hiring, expect: [count > 0]}\n');

const { northgate, lumen } = demo.companies;

/** In this order, on one database; words are separated by one blank, and `_` is a blank within a word. */
const lines = [
  'lists list',
  'lists list -o json',
  'lists get deal-pipeline',
  'lists get deal-pipeline -o yaml',
  'lists create Funds',
  'lists create Notes --description About_us --icon book --color blue --entity-type note --position 3',
  'lists update funds --name Funds_II --description Second',
  'lists update notes --position 1',
  'lists from-template okrs',
  'lists from-template hiring --name Hiring_II',
  'lists from-template nothing',
  'lists pull -d code',
  'lists plan -d code',
  'lists diff deal-pipeline portfolio',
  'lists apply -d code --yes',
  'lists copy hiring --to-profile demo --name Copied --yes',
  'lists get nothing',
  'attrs list deal-pipeline',
  'attrs create funds Stage --type select --option New --option Old',
  'attrs create funds Size --type currency --currency EUR --min 0 --max 1e9',
  'attrs create funds Score --type rating --required',
  'attrs create funds Score_II --type number --position 0',
  'attrs update funds stage --name Phase',
  'attrs update funds size --max 5',
  'attrs delete funds score --yes',
  'attrs list funds -o csv',
  'entries list deal-pipeline',
  'entries list deal-pipeline --limit 3 --offset 2',
  'entries list deal-pipeline --filter stage=Sourced',
  'entries list deal-pipeline --search a --limit 5',
  'entries list deal-pipeline --archived',
  'entries list deal-pipeline --archived-only',
  'entries list deal-pipeline -o ndjson',
  'entries count deal-pipeline',
  'entries count deal-pipeline --filter stage=Sourced',
  'entries count deal-pipeline --by stage',
  'entries summarize deal-pipeline --by stage --agg sum(valuation)',
  'entries create funds --title First',
  'entries create funds --title Second --set size=4 --set stage=New',
  'entries get funds First',
  'entries update funds First --set size=3 --title Third',
  'entries update funds --where size>0 --set stage=Old --yes',
  'entries import notes rows.csv --create-attrs --yes',
  'entries import notes rows.csv --key title --yes',
  'entries archive funds Third --yes',
  'entries unarchive funds Third --yes',
  'entries dedupe deal-pipeline --key title~ --yes',
  'entries step funds Third',
  'entries step funds Third --dry-run',
  'entries step funds Third',
  'entries delete funds Second --yes',
  'history',
  'undo --yes',
  'metrics live',
  `metrics live -c ${lumen}`,
  'metrics catalog',
  `metrics catalog -c ${lumen} -o json`,
  'metrics series -m mrr --last 3',
  'metrics board -m mrr,arr --last 2q',
  `metrics bridge -m arr -c ${lumen} --from 2025-Q3 --to 2025-Q4`,
  `metrics series -c ${lumen} -m mrr,arr --from 2024-01 --to 2025-12`,
  `metrics series -c ${lumen} --versions budget,forecast --period-type quarter --last 4`,
  `metrics series -c ${lumen} --versions budget --period-type year`,
  `metrics series -c ${lumen} --order asc --limit 5`,
  'metrics series -m nothing',
  `metrics get mrr -c ${lumen}`,
  `metrics table -c ${lumen}`,
  `metrics chart -m mrr -c ${lumen} --last 12`,
  `metrics variance -c ${lumen} -m mrr --last 3`,
  `metrics growth -c ${lumen} -m mrr`,
  `metrics gaps -c ${lumen}`,
  `metrics prefs get --investor ${northgate}`,
  `metrics prefs set --investor ${northgate} --requested mrr,arr --columns mrr`,
  `metrics prefs get --investor ${northgate} -o json`,
  'grants list',
  `grants list -c ${lumen} -o json`,
  `grants create --recipient-company ${northgate} -m mrr --note Trial --yes`,
  `grants create -c ${lumen} --recipient-company ${northgate} -m mrr,arr --historical --expires 2027-01-01 --yes`,
  'grants audit',
  'grants matrix',
  'grants expiring --within 400d',
  'grants get GRANT',
  'grants revoke GRANT --yes',
  'grants revoke GRANT --yes',
  `published get ${lumen}`,
  `published get ${lumen} --period 2025-12`,
  `published get ${lumen} --from 2025-01 --to 2025-12`,
  `published get ${demo.companies.quill}`,
  `published periods ${lumen}`,
  `published diff ${lumen}`,
  `published report ${lumen}`,
  `api GET /api/lists?companyId=${northgate}`,
  `api GET /api/metrics/catalog`,
  'check -f check.yaml',
  'check entries hiring --expect count_>_0',
  'check init hiring',
  'check lint -f check.yaml',
  'auth status --check',
  'mirror sync mirror',
  'mirror sync mirror',
  'changes --live --mirror mirror',
  'doctor',
  'tour',
  'lists delete notes --yes',
  'lists delete funds-ii --yes',
  'lists delete funds --yes',
];

let api: Embedded;
const seen: Seen[] = [];

it('neither side breaks the document, whatever is asked', { timeout: 120_000 }, async () => {
  api = await freshApi();
  const found: string[] = [];
  const failed: string[] = [];
  let grant = 'none';
  for (const line of lines) {
    const argv = line.split(' ').map((word) => (/^(GET|\/|-)/.test(word) ? word : word.replaceAll('_', ' ')));
    const before = found.length;
    const words = argv.map((word) => (word === 'GRANT' ? grant : word));
    const { code, stdout, stderr } = await run(words, { cwd, transport: refereed(api.transport, seen, found) });
    if (line.startsWith('grants create --recipient')) grant = /[0-9a-f-]{36}/.exec(stdout)?.[0] ?? 'none';
    if (code === 2 || code === 70) failed.push(`${line}: ${code} ${stderr.trim()}`);
    for (const violation of found.slice(before)) failed.push(`${line}: ${violation}`);
  }
  expect(failed).toEqual([]);
  process.stdout.write(`referee: ${lines.length} command lines, ${seen.length} requests, ${found.length} violations\n`);
});

it('every operation was seen to succeed, and errors were among the answers', () => {
  const done = new Set(seen.filter(({ status }) => status < 300).map(({ id }) => id));
  expect(Object.keys(operations).filter((id) => !done.has(id))).toEqual([]);
  expect(seen.some(({ status }) => status >= 400)).toBe(true);
});

it('every command that speaks to the API is among them', async () => {
  // `sql` needs its second program, and reads with the readers of `entries list` and `metrics series`. `auth login` asks
  // what `auth status --check` asks, of an address that it then saves.
  const left = ['sql', 'auth login'];
  const commands = (await allCommands(tree)).filter(({ operations: sent }) => sent.length > 0);
  const missing = commands.filter(({ path }) => !lines.some((line) => `${line} `.startsWith(`${path} `)));
  expect(missing.map(({ path }) => path)).toEqual(left);
});

it('sees what breaks the document', () => {
  const url = `http://embedded/api/lists?companyId=${northgate}`;
  const list = { id: northgate, name: 'x' };
  const answer = (status: number, body: unknown) => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
  });
  const session = { cookie: demo.session };
  const wrongOf = (request: object, response = answer(200, [list])) =>
    violations({ method: 'GET', url, headers: session, ...request }, response).wrong;
  expect(wrongOf({})).toEqual([]);
  expect(wrongOf({ url: 'http://embedded/api/other' })).toEqual(['not in the document']);
  expect(wrongOf({ url: `${url}&x=1` })).toEqual(['x is not a parameter']);
  expect(wrongOf({ url: 'http://embedded/api/lists?companyId=me' })).toHaveLength(1);
  expect(wrongOf({ headers: {} })).toHaveLength(1);
  expect(wrongOf({ body: '{}' })).toEqual(['a body is sent where none is taken']);
  expect(wrongOf({}, answer(200, {}))).not.toEqual([]);
  expect(wrongOf({}, answer(200, [{ ...list, position: 'x' }]))).not.toEqual([]);
  expect(wrongOf({}, answer(201, [list]))).toEqual(['status 201 is not in the document']);
  expect(wrongOf({}, answer(418, { status: 418 }))).not.toEqual([]);
  expect(wrongOf({}, answer(418, { error: 'x', status: 418 }))).toEqual([]);
  const create = { method: 'POST', headers: { authorization: 'Bearer x', 'content-type': 'application/json' } };
  expect(wrongOf({ ...create, body: '{}' }, answer(201, list))).not.toEqual([]);
  expect(wrongOf({ ...create, body: '{"name":"x"}' }, answer(201, list))).toEqual([]);
  expect(wrongOf(create, answer(201, list))).toEqual(['a body is required']);
});
