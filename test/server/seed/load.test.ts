import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { operations } from '../../../src/contract/index.ts';
import { Failure } from '../../../src/core/errors.ts';
import { numeric, parseJson, stringifyJson } from '../../../src/core/json.ts';
import { writeYaml } from '../../../src/core/yaml.ts';
import { createApi } from '../../../src/server/api.ts';
import { stableId } from '../../../src/server/model/names.ts';
import { dumpText } from '../../../src/server/seed/dump.ts';
import { loadFile, readSeed } from '../../../src/server/seed/file.ts';
import { loadSeed } from '../../../src/server/seed/load.ts';
import type { LoadReport } from '../../../src/server/seed/loading.ts';
import type { Seed } from '../../../src/server/seed/seed.ts';
import { openStore, type Store } from '../../../src/server/store/store.ts';
import { freshDatabase } from '../../helpers/database.ts';
import { demoSeed } from '../../helpers/demo-seed.ts';

const fail = (path: string, message: string) => new Failure('bug', `${path} ${message}`);
const now = new Date('2026-01-01T00:00:00.000Z');
const later = new Date('2026-06-01T00:00:00.000Z');
let store: Store;
const bytesOf = (text: string) => () => [Buffer.from(text)];

beforeEach(async () => {
  store = await openStore(await freshDatabase());
});
afterEach(() => store.close());

const load = async (text: string, at = now, name = 'seed.yaml') =>
  loadSeed(store, () => readSeed(bytesOf(text), name, name.endsWith('.json') ? 'json' : 'yaml'), { now: at });
const textOf = (from: Store, format: 'json' | 'yaml') =>
  from.read(async (db) => {
    let text = '';
    for await (const piece of dumpText(db, format)) text += piece;
    return text;
  });
const dumpSeed = async (from: Store) => parseJson(await textOf(from, 'json')) as Seed;
const touched = (report: LoadReport) =>
  Object.entries(report)
    .filter(([, { created, updated }]) => created + updated > 0)
    .map(([section]) => section);

const team = `
companies:
  - { slug: acme, name: Acme, currency: EUR }
users:
  - { email: ann@acme.example, name: Ann, companies: [acme] }
keys:
  - { name: ci, user: ann@acme.example, company: acme, secret: cmk_team_key_0123456789 }
sessions:
  - { user: ann@acme.example, secret: a-session-0123456789, expires_at: 2099-01-01T00:00:00Z }
lists:
  - company: acme
    name: Deals
    attributes:
      - name: Stage
        attribute_type: status
        is_required: true
        config: { options: [{ label: Lead }, { label: Closed won }] }
      - { name: Amount, attribute_type: currency, config: { currency: EUR } }
    entries:
      - { title: One, values: { stage: Lead, amount: 1.10 } }
      - { title: One, values: { stage: closed-won } }
points:
  - { company: acme, period: 2026-01, metrics: { mrr: 1.10, own_metric: 12345678901234567890 } }
  - { company: acme, period: 2026, version: budget, metrics: { mrr: 20 } }
grants:
  - { company: acme, granted_by: ann@acme.example, recipient_user: ann@acme.example }
`;

describe('loadSeed', () => {
  test('loading the same file twice changes nothing', async () => {
    expect(touched(await load(team))).toEqual([
      'companies',
      'users',
      'memberships',
      'keys',
      'sessions',
      'lists',
      'attributes',
      'entries',
      'catalog',
      'points',
      'grants',
    ]);
    const before = await dumpSeed(store);
    expect(touched(await load(team, later))).toEqual([]);
    expect(await dumpSeed(store)).toEqual(before);
  });

  test('a changed file changes what differs and leaves alone what it does not name', async () => {
    await load(team);
    const changed = `
companies: [{ slug: acme, name: Acme Inc }]
lists:
  - { company: acme, name: Deals, entries: [{ title: One, values: { amount: 2 } }] }
points:
  - { company: acme, period: 2026-01, metrics: { mrr: 3 } }
`;
    const report = await load(changed, later);
    expect(report.companies).toEqual({ created: 0, updated: 1, unchanged: 0 });
    expect(report.entries).toEqual({ created: 0, updated: 1, unchanged: 0 });
    expect(report.points).toEqual({ created: 0, updated: 1, unchanged: 0 });
    const { companies, lists, points } = await dumpSeed(store);
    expect(companies).toMatchObject([{ name: 'Acme Inc', currency: 'EUR' }]);
    expect(lists?.[0]?.entries).toMatchObject([
      { title: 'One', values: { stage: 'lead', amount: 2 }, updated_at: later.toISOString() },
      { title: 'One', values: { stage: 'closed-won' }, updated_at: now.toISOString() },
    ]);
    expect(
      points?.filter(({ period }) => period === '2026-01').map(({ metrics, updated_at }) => [metrics, updated_at]),
    ).toEqual(
      expect.arrayContaining([
        [{ mrr: 3 }, later.toISOString()],
        [{ own_metric: numeric('12345678901234567890') }, now.toISOString()],
      ]),
    );
  });

  test('what it loads is what the API serves, to the digit', async () => {
    await load(team);
    const api = createApi(store);
    const answer = async (path: string, headers: Record<string, string>) => {
      const { status, body } = await api({ method: 'GET', url: `http://embedded${path}`, headers });
      return { status, text: Buffer.from(body).toString() };
    };
    const key = { authorization: 'Bearer cmk_team_key_0123456789' };
    const series = await answer(`${operations.getMetricSeries.path}?periodType=month`, key);
    expect(series.status).toBe(200);
    expect(series.text).toContain('"metrics":{"mrr":1.10,"own_metric":12345678901234567890}');
    const list = stableId('list', stableId('company', 'acme'), 'deals');
    const session = { cookie: 'comem-auth-token=a-session-0123456789' };
    const entries = await answer(`/api/lists/${list}/entries?filter[stage]=closed-won`, session);
    expect(JSON.parse(entries.text)).toMatchObject([{ title: 'One', values: { stage: 'closed-won' } }]);
  });

  test('a company without a slug is named by its name, or by the slug that the name makes', async () => {
    const text = `
companies: [{ name: My Co }]
users: [{ email: a@my.example, companies: [My Co] }]
lists: [{ company: my-co, name: Deals }]
`;
    await load(text);
    expect(touched(await load(text, later))).toEqual([]);
    const { companies, lists, users } = await dumpSeed(store);
    expect(companies).toMatchObject([{ slug: 'my-co', id: stableId('company', 'my-co'), name: 'My Co' }]);
    expect([users?.[0]?.companies, lists?.[0]?.company]).toEqual([['my-co'], 'my-co']);
    await expect(load('companies: [{ name: My Co }, { name: My  co }]')).rejects.toMatchObject({
      message: expect.stringContaining('companies.1.slug repeats my-co'),
    });
  });

  test('one wrong thing, and nothing is loaded', async () => {
    const text = team.replace('amount: 1.10', 'amount: many');
    await expect(load(text)).rejects.toMatchObject({
      kind: 'usage',
      message: 'seed.yaml, line 20, column 54: lists.0.entries.0.values.amount must be a finite number',
    });
    expect(await dumpSeed(store)).toEqual({});
  });

  test.each([
    ['companies: [{ slug: a, name: A }, { slug: a, name: B }]', 'companies.1.slug repeats a'],
    [
      'users: [{ email: a@b.example, companies: [nowhere] }]',
      'users.0.companies.0 names the company nowhere, which is in neither the file nor the database',
    ],
    [
      'companies: [{ slug: a, name: A }]\nkeys: [{ name: k, user: x@y.example, company: a, secret: cmk_1 }]',
      'keys.0.user names the user x@y.example, who is in neither the file nor the database',
    ],
    [
      'companies: [{ slug: a, name: A }]\nusers: [{ email: u@a.example }]\nkeys: [{ name: k, user: u@a.example, company: a, secret: 1234 }]',
      'keys.0.secret must be a string',
    ],
    [
      'companies: [{ slug: a, name: A }]\nusers: [{ email: u@a.example }]\nkeys: [{ name: k, user: u@a.example, company: a, secret: abcd }]',
      'keys.0.secret is not an API key: it must start with cmk_',
    ],
    [
      'companies: [{ slug: a, name: A }]\nusers: [{ email: u@a.example }]\nkeys: [{ name: k, user: u@a.example, company: a }]',
      'keys.0 needs either a secret or a hash',
    ],
    [
      'companies: [{ slug: a, name: A }]\npoints: [{ company: a, period: 2026-Q1, metrics: { mrr: 1 } }]',
      'points.0.period is a quarter, and actuals exist only by month',
    ],
    [
      'companies: [{ slug: a, name: A }]\npoints: [{ company: a, period: 2026-1, metrics: { mrr: 1 } }]',
      'points.0.period must be a month, quarter or year such as 2006-01, 2006-Q1 or 2006, got 2026-1',
    ],
    [
      'companies: [{ slug: a, name: A }]\npoints: [{ company: a, period: 2026-01, metrics: { mrr: 1 } }, { company: a, period: 2026-01, metrics: { mrr: 2 } }]',
      'points.1.metrics.mrr is repeated',
    ],
    [
      'companies: [{ slug: a, name: A }]\nlists: [{ company: a, name: L, entries: [{ title: T, values: { x: 1 } }] }]',
      'lists.0.entries.0.values.x is not an attribute of this list',
    ],
    [
      'companies: [{ slug: a, name: A }]\nlists: [{ company: a, name: L, attributes: [{ name: X, attribute_type: text, config: { currency: EUR } }] }]',
      'lists.0.attributes.0.config.currency belongs to currency attributes, not to text',
    ],
    ['companeis: []', 'companeis is not known here; did you mean companies?'],
    ['clock: 2026-01-01T00:00:00Z\ncompanies: [{ name: A, currency_code: EUR }]', 'did you mean currency?'],
    ['- 1', 'the file must be an object'],
  ])('refuses %j', async (text, message) => {
    await expect(load(text)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(/^seed\.yaml, line \d+, column \d+: /),
    });
    await expect(load(text)).rejects.toMatchObject({ message: expect.stringContaining(message) });
  });

  test('refuses a number whose exponent is out of range', async () => {
    const text =
      'companies: [{ slug: a, name: A }]\npoints: [{ company: a, period: 2026-01, metrics: { mrr: 1e401 } }]';
    const message = 'seed.yaml, line 2, column 57: the number 1e401 is out of range: an exponent is from -400 to 400';
    await expect(load(text)).rejects.toMatchObject({ kind: 'usage', message });
  });

  test('an id that the database has under another name is refused, not moved', async () => {
    await load('users: [{ email: a@b.example }]');
    const other = '0c0e5a5e-0000-4000-8000-000000000001';
    await expect(load(`users: [{ email: a@b.example, id: ${other} }]`)).rejects.toMatchObject({
      message: expect.stringContaining(
        `users.0 has the id ${stableId('user', 'a@b.example')} in the database, not ${other}`,
      ),
    });
    await expect(load(`users: [{ email: c@d.example, id: ${stableId('user', 'a@b.example')} }]`)).rejects.toMatchObject(
      {
        kind: 'usage',
        message: expect.stringContaining('an id of the seed already belongs to another row'),
      },
    );
  });

  test('JSON is read too, its places told', async () => {
    await load('{"companies": [{"slug": "a", "name": "A"}]}', now, 'a.json');
    await expect(load('{\n  "companies": [\n    {"slug": "a"}\n  ]\n}', now, 'a.json')).rejects.toMatchObject({
      message: 'a.json, line 3, column 5: companies.0.name is required',
    });
    await expect(load('{"companies": [}', now, 'a.json')).rejects.toMatchObject({
      message: expect.stringMatching(/^a\.json, line 1, column 16: /),
    });
  });
});

describe('a dump', () => {
  test.each([
    ['nothing', {}],
    [
      'a list without entries',
      { companies: [{ slug: 'a', name: 'A' }], lists: [{ company: 'a', name: 'L', attributes: [] }] },
    ],
  ])('of %s is one document', async (_, seed) => {
    await loadSeed(store, () => [{ seed: seed as Seed, fail }], { now });
    const dumped = await dumpSeed(store);
    expect(await textOf(store, 'json')).toBe(`${stringifyJson(dumped, 2)}\n`);
    expect(await textOf(store, 'yaml')).toBe(writeYaml(dumped));
  });

  test.each(['seed.yaml', 'seed.json'])('the demo loads back the same from %s, secrets as hashes', async (name) => {
    const seed = demoSeed();
    await loadSeed(store, () => [{ seed, fail }], { now });
    const dumped: Seed = await dumpSeed(store);
    const text = await textOf(store, name.endsWith('.json') ? 'json' : 'yaml');
    expect(text).toBe(name.endsWith('.json') ? `${stringifyJson(dumped, 2)}\n` : writeYaml(dumped));
    expect(text).not.toMatch(/cmk_demo_investor_everything|demo-session-investor-everything/);
    const copy = await openStore(await freshDatabase());
    try {
      const again = () => loadFile(copy, { name, open: bytesOf(text), now: later });
      await again();
      expect(await dumpSeed(copy)).toEqual(dumped);
      expect(touched((await again()).report)).toEqual([]);
    } finally {
      await copy.close();
    }
  });
});

describe('loadFile', () => {
  const csv = 'month,nonfarm\n2006-01,135450.50\n';

  test('points make a company named after the file, once', async () => {
    const first = await loadFile(store, { name: 'us-employment.csv', open: bytesOf(csv), now });
    expect(first.company).toEqual({ id: stableId('company', 'us-employment'), name: 'us-employment' });
    const second = await loadFile(store, { name: 'us-employment.csv', open: bytesOf(csv), now: later });
    expect(second.company).toEqual(first.company);
    expect(touched(second.report)).toEqual([]);
    const { catalog, points } = await dumpSeed(store);
    expect(catalog).toMatchObject([{ metricId: 'nonfarm', label: 'Nonfarm', custom: true }]);
    expect(points).toMatchObject([{ period: '2006-01', metrics: { nonfarm: numeric('135450.50') } }]);
  });

  test('the slug of a dump, the name and the id each name a stored company', async () => {
    await load('companies: [{ slug: x, name: Acme Staging }]');
    const dumped = await dumpSeed(store);
    const names = [dumped.companies?.[0]?.slug, 'Acme Staging', stableId('company', 'x')];
    expect(names[0]).toBe('acme-staging');
    for (const [index, name] of names.entries()) await load(`lists: [{ company: ${name}, name: List ${index} }]`);
    expect((await dumpSeed(store)).lists).toHaveLength(3);
  });

  test('with several companies one must be named', async () => {
    await load('companies: [{ slug: a, name: A }, { slug: b, name: B }]');
    await expect(loadFile(store, { name: 'f.csv', open: bytesOf(csv), now })).rejects.toMatchObject({
      kind: 'usage',
      message: '--company is needed: the database holds 2 companies',
    });
    const { company } = await loadFile(store, { name: 'f.csv', open: bytesOf(csv), now, company: 'B' });
    expect(company?.id).toBe(stableId('company', 'b'));
    const bySlug = await loadFile(store, { name: 'f.csv', open: bytesOf(csv), now, company: 'b' });
    expect(bySlug.company?.id).toBe(company?.id);
    await expect(loadFile(store, { name: 'f.csv', open: bytesOf(csv), now, company: 'C' })).rejects.toMatchObject({
      message: '--company C is not in the database',
    });
  });

  test('plans are loaded as such', async () => {
    await loadFile(store, { name: 'p.csv', open: bytesOf('q,mrr\n2026-Q1,5\n'), now, version: 'forecast' });
    expect((await dumpSeed(store)).points).toMatchObject([{ period: '2026-Q1', version: 'forecast' }]);
  });

  test.each([
    ['p,a\n2006-01,1\n2006-01-15,2\n', 'f.csv, line 3: a of 2006-01 (actual) is repeated'],
    [
      'period,metric,value\n2006-01,a,1\n2006-02,a,1\n2006-01,a,1\n',
      'f.csv, line 4: a of 2006-01 (actual) is repeated',
    ],
    [
      'period,metric,value,company\n2006-01,a,1,\n2006-02,a,1,Nobody\n',
      'f.csv, line 3: company names the company Nobody,',
    ],
  ])('%j is refused with its line', async (text, message) => {
    await expect(loadFile(store, { name: 'f.csv', open: bytesOf(text), now })).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining(message),
    });
  });

  test('other extensions, and flags of points beside a whole seed, are refused', async () => {
    await expect(loadFile(store, { name: 'f.xlsx', open: bytesOf(''), now })).rejects.toMatchObject({ kind: 'usage' });
    await expect(loadFile(store, { name: 'f.yaml', open: bytesOf('{}'), now, company: 'A' })).rejects.toMatchObject({
      message: expect.stringContaining('are only for CSV files of metric points'),
    });
  });
});

describe('a CSV file over stored values', () => {
  test('leaves the values of empty cells', async () => {
    const put = (text: string) => loadFile(store, { open: bytesOf(text), name: 'own.csv', now });
    await put('when,zeta,alpha,b\n2006-01,1,1,2\n2006-02,3,4,5\n');
    const { catalog, points } = await dumpSeed(store);
    expect(catalog?.map(({ metricId }) => metricId)).toEqual(['zeta', 'alpha', 'b']);
    await put('when,zeta,alpha,b\n2006-01,,,2\n2006-02,,4,5\n');
    expect((await dumpSeed(store)).points).toEqual(points);
  });
});
