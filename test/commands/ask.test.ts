/** --where, --sort and --one of the commands whose columns are the names of their expressions. */
import { describe, expect, it } from 'vitest';
import { allCommands } from '../../src/cli/tree.ts';
import { tree } from '../../src/main.ts';
import { run } from '../helpers/run.ts';

const lumen = 'c0ffee00-0000-4000-8000-000000000011';

/** Commands that print rows, and take none of the three flags, each with the reason. */
const withoutAsking: Readonly<Record<string, string>> = {
  ...{ 'lists pull': 'the files that were written', 'lists plan': 'a plan is applied as it is' },
  ...{ 'lists diff': 'a plan is applied as it is', 'entries dedupe': '--where chooses entries; rows are a plan' },
  ...{ sql: 'the statement asks', api: 'rows of any shape', 'mirror sync': 'what became of each part' },
  undo: 'a plan, and what became of it',
  ...{ 'auth status': 'a line for each setting', doctor: 'a line for each check, all of which are done' },
  ...{ 'server load': 'what was loaded', 'metrics load': 'what was loaded' },
};

it('all commands that list rows can choose them, put them in order and give one', async () => {
  const lacking = (await allCommands(tree)).flatMap(({ path, stdout, flags }) => {
    const missing = ['where', 'sort', 'one'].filter((name) => !Object.hasOwn(flags, name));
    return stdout === 'rows' && missing.length > 0 ? path : [];
  });
  expect(lacking.sort()).toEqual(Object.keys(withoutAsking).sort());
});

it('series are asked what changed since a time', async () => {
  const changed = (...more: string[]) =>
    ids('metrics', 'series', '-m', 'mrr,arr', ...more, '--sort', 'periodKey', '--fields', 'periodKey');
  expect(await changed('--changed-since', '2026-02-01')).toEqual(['2025-12', '2026-01', '2026-02']);
  expect(await changed('--changed-since', '2026-02-01', '--last', '4q')).toEqual(['2025-Q4']);
  expect(await changed('--changed-since', 'last')).toHaveLength(48);
  expect(await changed('--changed-since', 'last')).toEqual(['']);
  expect(await changed('--changed-since', 'last', '--last', '2')).toEqual(['2026-01', '2026-02']);
  const { code, requests } = await run(['metrics', 'series', '--changed-since', '2026', '--calc', 'a = mrr * 2']);
  expect([code, requests]).toEqual([2, []]);
});

it('a table says how many rows --limit leaves out', async () => {
  const { stdout, stderr } = await run(['grants', 'audit', '--limit', '1'], { tty: true, columns: 100 });
  expect(`${stdout}${stderr}`).toContain('1 of 3 findings');
});

it('thresholds are held against the rows that are chosen', async () => {
  const code = async (...argv: string[]) => (await run([...argv])).code;
  const variance = ['metrics', 'variance', '-c', lumen, '-m', 'mrr', '--last', '6', '--fail-on', 'bad > 8%'];
  expect([await code(...variance), await code(...variance, '--where', 'periodKey = 2026')]).toEqual([1, 0]);
  const gaps = ['metrics', 'gaps', '-p', 'demo', '-c', 'quill', '--exit-code'];
  expect([await code(...gaps), await code(...gaps, '--where', 'kind = repeated')]).toEqual([1, 0]);
});

/** What was published says itself which metrics its rows have. */
const namedByAnswer = new Set([
  'grants matrix -m mrr,arr -p demo',
  'published get lumen -p demo',
  'published get lumen harbor -p demo',
]);

const ids = async (...argv: string[]) => {
  const { code, stdout, stderr } = await run([...argv, '-o', 'tsv', '--no-header']);
  return code === 0 ? stdout.trimEnd().split('\n') : `${code} ${stderr}`;
};

describe.each([
  ['lists list', 'list_attributes_count >= 13', 'slug:desc', 'slug', ['portfolio', 'investor-crm', 'deal-pipeline']],
  ['attrs list deal-pipeline', 'attribute_type = currency', 'slug', 'slug', ['raising', 'valuation']],
  ['attrs list deal-pipeline', 'attribute_type in (status, url)', 'attribute_type', 'slug', ['website', 'stage']],
  ['companies list -p demo', 'alias like "l%"', 'alias:desc', 'alias', ['lumen']],
  ['metrics catalog', 'metricId in ("mrr", "arr")', 'metricId', 'metricId', ['arr', 'mrr']],
  ['metrics live', 'metric in ("mrr", "arr")', 'value:desc', 'metricId', ['arr', 'mrr']],
  ['metrics live -c lumen -c tessera -p demo', 'metric = "mrr" and company like "t%"', 'value', 'metricId', ['mrr']],
  ['metrics live --calc double=mrr*2', 'metric like "double%"', 'value', 'metricId', ['double']],
  ['grants audit', 'rule = no_expiry', 'rule', 'detail', ['it never expires', 'it never expires']],
  ['grants expiring --within 1y', 'metric_ids has tvpi', 'expires_at', 'note', ['Fund figures']],
  ['grants matrix -m mrr,arr -p demo', 'harbor = latest', 'metric', 'metric', ['mrr']],
  ['profiles list', 'name = "demo"', 'name', 'name', ['demo']],
  ['companies group list -p demo', 'group = "portfolio"', 'group', 'group', ['portfolio']],
  [
    'metrics series -m mrr,arr --last 12',
    'mrr > 1_900_000',
    'mrr:desc',
    'periodKey',
    ['2026-02', '2025-12', '2026-01'],
  ],
  [
    'metrics series --last 4 --shape long',
    'metricId = "mrr" and periodKey < 2026',
    'value',
    'periodKey',
    ['2025-11', '2025-12'],
  ],
  [
    'metrics series -m mrr --last 4q',
    'months != "3/3" or periodKey = 2025',
    'mrr',
    'periodKey',
    ['2025-Q1', '2025-Q2', '2025-Q3', '2025-Q4'],
  ],
  [
    'metrics series -m mrr --last 3 --calc double=mrr*2',
    'double > 3_870_000',
    'double:desc',
    'periodKey',
    ['2026-02', '2025-12', '2026-01'],
  ],
  ['metrics series -c lumen -c tessera -p demo -m mrr --last 1', 'company = "lumen"', 'mrr', 'company', ['lumen']],
  ['metrics table', 'metricId in ("mrr", "arr") and `2026-02` > 0', '2026-02:desc', 'metricId', ['arr', 'mrr']],
  [
    'metrics growth -m mrr,burn --last 2',
    'metricId = "mrr" and mom is not empty',
    'yoy:desc',
    'periodKey',
    ['2026-02', '2026-01'],
  ],
  [
    'metrics variance -c lumen -p demo -m mrr --last 3',
    'verdict = bad',
    'percent',
    'periodKey',
    ['2025-12', '2026-01', '2026-02'],
  ],
  [
    'metrics gaps -c quill -p demo -m mrr,arr',
    'kind = missing and from = 2026-Q1',
    'metricId',
    'metricId',
    ['arr', 'mrr'],
  ],
  ['published get lumen -p demo', 'mrr > 780k', 'mrr', 'periodKey', ['2026-02']],
  ['published get lumen harbor -p demo', 'company = "lumen" and periodKey = 2026-02', 'mrr', 'company', ['lumen']],
  ['published periods lumen -p demo', 'periodKey >= 2026-01', 'sentAt', 'periodKey', ['2026-01', '2026-02']],
  [
    'published diff lumen --all -p demo',
    'metricId = "mrr" and periodKey >= 2026',
    'told',
    'periodKey',
    ['2026-01', '2026-02'],
  ],
  [
    'mirror status -p demo',
    'part = "entries"',
    'current:desc',
    'name',
    ['deal-pipeline', 'investor-crm', 'hiring', 'portfolio'],
  ],
  ['server credentials', 'kind = "session" and name like "i%"', 'name', 'name', ['investor session']],
  ['server keys list -p demo', 'status = expired', 'name', 'id', ['1cb86c02-d59b-526d-883d-45acf9facd21']],
])('%s', (words, where, sort, field, expected) => {
  const argv = words.split(' ');
  it(`selects by ${where}`, async () => {
    expect(await ids(...argv, '--where', where, '--sort', sort, '--fields', field)).toEqual(expected);
  });
  it('gives one, or refuses', async () => {
    const one = await run([...argv, '--where', where, '--one', '-o', 'json']);
    if (expected.length > 1) expect([one.code, one.stdout]).toEqual([2, '']);
    else expect(JSON.parse(one.stdout)).toMatchObject({ [field]: expected[0] });
    const never = field === 'periodKey' ? 'periodKey = 1999' : `${field} = "none"`;
    expect((await run([...argv, '--where', never, '--one'])).code).toBe(3);
  });
  it('refuses an unknown name before anything is read', async () => {
    const { code, stdout, stderr, requests } = await run([...argv, '--where', 'nothing = 1']);
    expect([code, stdout, namedByAnswer.has(words) ? [] : requests]).toEqual([2, '', []]);
    expect(stderr).toContain('unknown name nothing');
  });
});

describe('grants', () => {
  it('are listed and revoked by a condition', async () => {
    const where = 'metric_ids has mrr and status = active';
    const listed = await run(['grants', 'list', '--where', where, '--sort', 'created_at', '-o', 'json']);
    const found = JSON.parse(listed.stdout) as {
      id: string;
      metric_ids: string[];
      status: string;
      created_at: string;
    }[];
    expect(found.length).toBeGreaterThan(1);
    expect(found.every((grant) => grant.metric_ids.includes('mrr') && grant.status === 'active')).toBe(true);
    expect(found.map((grant) => grant.created_at)).toEqual(found.map((grant) => grant.created_at).sort());
    const planned = await run(['grants', 'revoke', '--where', where, '--dry-run']);
    const urls = (JSON.parse(planned.stdout) as { url: string }[]).map(({ url }) => /grants\/([^/]+)/.exec(url)?.[1]);
    expect(urls.sort()).toEqual(found.map(({ id }) => id).sort());
    const several = await run(['grants', 'revoke', '--where', where, '--one', '--yes']);
    expect([several.code, several.requests.some(({ method }) => method === 'PATCH')]).toEqual([2, false]);
  });
});

it('steps what a condition chooses, and says what became of each', async () => {
  const argv = ['entries', 'step', 'deal-pipeline', '--where', 'stage = Screening', '-o', 'json'];
  const planned = await run([...argv, '--dry-run']);
  const count = (JSON.parse(planned.stdout) as unknown[]).length;
  const asked = await run(argv);
  expect([asked.code, asked.requests.some(({ method }) => method === 'POST')]).toEqual([2, false]);
  const { stdout, requests } = await run([...argv, '--yes']);
  const rows = JSON.parse(stdout) as { outcome: string }[];
  expect(count).toBeGreaterThan(0);
  expect(rows).toHaveLength(count);
  expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(count);
});
