/** --where, --sort and --one of the commands whose columns are the names of their expressions. */
import { beforeAll, describe, expect, it } from 'vitest';
import { run } from '../helpers/run.ts';

const lumen = 'c0ffee00-0000-4000-8000-000000000011';

beforeAll(async () => {
  await run(['metrics', 'calc', 'add', '-p', 'demo', 'twice = mrr * 2']);
});

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
  ['metrics live', 'metric in ("mrr", "arr")', 'value:desc', 'metric', ['arr', 'mrr']],
  ['metrics live -c lumen -c tessera -p demo', 'metric = "mrr" and company like "t%"', 'value', 'metric', ['mrr']],
  ['metrics live --calc double=mrr*2', 'metric like "double%"', 'value', 'metric', ['double']],
  ['metrics calc list -p demo', 'definition contains "mrr"', 'name:desc', 'name', ['twice']],
  ['grants audit', 'rule = no_expiry', 'rule', 'detail', ['it never expires', 'it never expires']],
  ['grants expiring --within 1y', 'metric_ids has tvpi', 'expires_at', 'note', ['Fund figures']],
  ['grants matrix -m mrr,arr', 'arr = latest', 'grants', 'recipient', [lumen]],
  ['profiles list', 'name = "demo"', 'name', 'name', ['demo']],
  ['companies group list -p demo', 'group = "portfolio"', 'group', 'group', ['portfolio']],
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
    expect((await run([...argv, '--where', `${field} = "none"`, '--one'])).code).toBe(3);
  });
  it('refuses an unknown name before anything is read', async () => {
    const { code, stdout, stderr, requests } = await run([...argv, '--where', 'nothing = 1']);
    expect([code, stdout, requests]).toEqual([2, '', []]);
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
