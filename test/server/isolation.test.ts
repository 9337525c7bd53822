/** Every operation with every kind of thing that is not the caller's: the status of the rules, nothing read, nothing changed. */
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OperationId, operations } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/operation.ts';
import type { Transport } from '../../src/core/wire.ts';
import { createApi } from '../../src/server/api.ts';
import { createApp } from '../../src/server/app.ts';
import { tableNames } from '../../src/server/store/schema.ts';
import { rowsOf } from '../../src/server/store/tables.ts';
import { engine, sumOf } from '../helpers/database.ts';
import {
  call,
  companies,
  type Got,
  now,
  type Sent,
  sessions,
  tokens,
  unknown,
  users,
  type World,
  world,
} from './world.ts';

/** In everything of Ben, and in nothing else. */
const mark = 'only-ben-may-read-this';
const ids = Object.keys(operations) as OperationId[];

interface Things {
  list: string;
  attribute: string;
  entry: string;
  view: string;
  grant: string;
}

interface Neighbours {
  own: Things;
  /** Another list of the same company. */
  sibling: Things;
  /** Of another company of the same user. */
  cousin: Things;
  foreign: Things;
}

async function settle(
  w: World,
  companyId: string,
  who: { key: string; session: string },
  text: string,
): Promise<Things> {
  const post = async (id: OperationId, sent: Sent, as: string) => {
    const got = await w.call(id, { ...sent, as });
    if (got.status !== 201) throw new Error(`${id}: ${got.text}`);
    return got.body;
  };
  const list = (await post('createList', { query: { companyId }, body: { name: text } }, who.key)).id;
  const attribute = { name: text, attribute_type: 'text' };
  const made = await post('createAttribute', { params: { listId: list }, body: attribute }, who.session);
  const values = { [made.slug]: text };
  const entry = (await post('createEntry', { params: { listId: list }, body: { title: text, values } }, who.session))
    .id;
  const grantBody = { companyId, scope: ['metrics'], note: text, recipient_user_id: users.cat };
  const grant = (await post('createGrant', { body: grantBody }, who.key)).grant.id;
  const view = list.replace(/^.{8}/, 'abababab');
  const at = now.toISOString();
  await w.store.db
    .insertInto('saved_views')
    .values({
      ...{
        id: view,
        room_id: null,
        company_id: companyId,
        created_by: null,
        name: text,
        description: null,
        icon: null,
      },
      ...{ filters: '{}', position: 0, is_pinned: 0, created_at: at, updated_at: at },
    })
    .execute();
  return { list, attribute: made.id, entry, view, grant };
}

async function neighbours(w: World): Promise<Neighbours> {
  const ann = { key: tokens.ann, session: sessions.ann };
  const own = await settle(w, companies.fund, ann, 'mine');
  const sibling = await settle(w, companies.fund, ann, 'mine too');
  const cousin = await settle(w, companies.startup, { ...ann, key: tokens.annStartup }, 'of the startup');
  const foreign = await settle(w, companies.rival, { key: tokens.ben, session: sessions.ben }, mark);
  await w.call('setMetricPreferences', {
    body: { vcCompanyId: companies.rival, requestedMetrics: [mark] },
    as: sessions.ben,
  });
  await grantsOfSide(w);
  return { own, sibling, cousin, foreign };
}

/** The startup publishes to Ann's fund; the rival granted once, to nobody who still may. */
async function grantsOfSide({ store }: World): Promise<void> {
  const at = now.toISOString();
  const grant = (n: number, company: string, more: Record<string, unknown>) => ({
    id: `dddddddd-0000-4000-8000-00000000000${n}`,
    company_id: company,
    granted_by: users.ben,
    recipient_company_id: companies.fund,
    recipient_user_id: null,
    scope: '["metrics"]',
    metric_ids: '[]',
    include_historical: 1,
    status: 'active' as const,
    note: null,
    expires_at: null,
    revoked_at: null,
    revoked_by: null,
    created_at: at,
    updated_at: at,
    ...more,
  });
  const report = (company: string) => ({
    ...{
      report_id: `eeeeeeee-${company.slice(9)}`,
      company_id: company,
      period_key: '2025-12',
      period_type: 'month' as const,
    },
    ...{ first_month: 24_311, last_month: 24_311, version_number: 1, sent_at: at, data: `{"${mark}":1}`, units: '{}' },
    ...{ unit_labels: '{}', currency: 'USD', share_token: mark, viewer_policy: '{}' },
  });
  await store.db
    .insertInto('grants')
    .values([
      grant(1, companies.startup, {}),
      grant(2, companies.rival, { status: 'revoked' }),
      grant(3, companies.rival, { expires_at: at }),
      grant(4, companies.rival, { scope: '["reports"]' }),
      grant(5, companies.rival, { recipient_company_id: companies.side }),
    ])
    .execute();
  await store.db.insertInto('publications').values(report(companies.rival)).execute();
}

/** A request of Ann's that is taken. */
function valid(id: OperationId, { own }: Neighbours): Sent {
  const companyId = companies.fund;
  const params = { listId: own.list };
  const requests: Record<OperationId, Sent> = {
    listLists: { query: { companyId } },
    createList: { query: { companyId }, body: { name: 'New' } },
    getList: { params },
    updateList: { params, body: { name: 'Renamed' } },
    deleteList: { params },
    createAttribute: { params, body: { name: 'More', attribute_type: 'text' } },
    updateAttribute: { params, body: { id: own.attribute, name: 'Other' } },
    deleteAttribute: { params, query: { attributeId: own.attribute } },
    listEntries: { params, query: { viewId: own.view } },
    createEntry: { params, body: { title: 'New' } },
    updateEntry: { params, body: { id: own.entry, title: 'Other' } },
    deleteEntry: { params, query: { entryId: own.entry } },
    stepEntry: { params: { ...params, entryId: own.entry } },
    instantiateTemplate: { body: { templateId: 'hiring' } },
    getLiveMetrics: { query: { companyId } },
    getMetricCatalog: { query: { companyId } },
    listGrants: { query: { companyId } },
    createGrant: { body: { companyId, scope: ['metrics'], recipient_user_id: users.cat } },
    revokeGrant: { params: { id: own.grant }, query: { companyId } },
    getMetricPreferences: { query: { vcCompanyId: companyId } },
    setMetricPreferences: { body: { vcCompanyId: companyId, requestedMetrics: ['mrr'] } },
    getPublishedMetrics: { params: { companyId: companies.startup } },
    getMetricSeries: { query: { companyId, periodType: 'month', versions: 'actual' } },
  };
  return requests[id];
}

type Kind = 'list' | 'attribute' | 'entry' | 'view' | 'grant' | 'company' | 'published';
const kinds: Record<string, Kind> = {
  listId: 'list',
  attributeId: 'attribute',
  entryId: 'entry',
  viewId: 'view',
  vcCompanyId: 'company',
};

function kindOf(id: OperationId, place: string, name: string): Kind | undefined {
  if (name === 'companyId') return place === 'params' ? 'published' : 'company';
  if (name === 'id') return id.endsWith('Attribute') ? 'attribute' : id.endsWith('Grant') ? 'grant' : 'entry';
  return kinds[name];
}

interface Case {
  says: string;
  sent: Sent;
  status: number;
}

/** What may stand where Ann's own thing stands, and the status that each gets. */
function strangers(
  kind: Kind,
  n: Neighbours,
): [says: string, value: string, status: number, headers?: Record<string, string>][] {
  if (kind === 'company')
    return [
      ['rival', companies.rival, 403],
      ['unknown', unknown, 403],
    ];
  if (kind === 'published')
    return [
      ['not granted', companies.rival, 403],
      ['unknown', unknown, 403],
    ];
  const named = { 'x-company-id': companies.fund };
  const found: ReturnType<typeof strangers> = [
    ["rival's", n.foreign[kind], 404],
    ["rival's in capitals", n.foreign[kind].toUpperCase(), 404],
    ['unknown', unknown, 404],
    ['of another own company', n.cousin[kind], 404, named],
  ];
  // A view and a grant belong to the company; a child belongs to its list.
  if (kind === 'attribute' || kind === 'entry') found.push(['under another list', n.sibling[kind], 404]);
  return found;
}

function casesOf(id: OperationId, n: Neighbours): Case[] {
  const op: Operation = operations[id];
  const sent = valid(id, n);
  const cases: Case[] = [];
  for (const place of ['params', 'query', 'body'] as const) {
    const fields = (sent[place] ?? {}) as Record<string, unknown>;
    for (const name of Object.keys(fields)) {
      const kind = kindOf(id, place, name);
      if (kind === undefined) continue;
      for (const [says, value, status, headers] of strangers(kind, n)) {
        cases.push({
          says: `${name} ${says}`,
          sent: { ...sent, [place]: { ...fields, [name]: value }, headers },
          status,
        });
      }
    }
  }
  for (const company of [companies.rival, unknown]) {
    const place = op.company.in === 'query' || op.company.in === 'body' ? op.company.in : undefined;
    const { companyId: _, ...rest } = (place ? (sent[place] ?? {}) : {}) as Record<string, unknown>;
    const alone = place ? { ...sent, [place]: rest } : sent;
    cases.push({
      says: `X-Company-Id ${company}`,
      sent: { ...alone, headers: { 'x-company-id': company } },
      status: 403,
    });
    if (place) {
      cases.push({ says: 'two companies', sent: { ...sent, headers: { 'x-company-id': company } }, status: 400 });
    }
    if (op.company.in === 'query') continue;
    // The parameter counts where the header does.
    const query = { ...asQuery(sent), companyId: company };
    const headers = { 'x-company-id': companies.fund };
    cases.push({ says: `companyId ${company}`, sent: { ...alone, query }, status: 403 });
    cases.push({ says: 'companyId beside another header', sent: { ...alone, query, headers }, status: 400 });
    if (place) cases.push({ says: 'companyId beside another body', sent: { ...sent, query }, status: 400 });
  }
  return [...cases, ...credentialCases(op, sent)];
}

function credentialCases(op: Operation, sent: Sent): Case[] {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const cookie = (token: string) => ({ cookie: `comem-auth-token=${token}` });
  const key = op.credential === 'key';
  const refused: Record<string, Record<string, string>> = {
    'no credential': {},
    'the other kind alone': key ? cookie(sessions.ann) : bearer(tokens.ann),
    'an unknown one': key ? bearer('cmk_none') : cookie('none'),
    'an expired one': key ? bearer(tokens.expired) : cookie(sessions.expired),
    'a revoked one': key ? bearer(tokens.revoked) : cookie(sessions.ended),
    'an expired one beside a good one of the other kind': key
      ? { ...bearer(tokens.expired), ...cookie(sessions.ann) }
      : { ...bearer(tokens.ann), ...cookie(sessions.expired) },
    'the hash of one': key
      ? bearer('f3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
      : cookie("' or '1'='1"),
    ...(op.id !== 'getMetricSeries' && op.id !== 'getMetricCatalog' && key && { OAuth: bearer(tokens.oauth) }),
  };
  const cases: Case[] = Object.entries(refused).map(([says, headers]) => ({
    says,
    sent: { ...sent, as: null, headers },
    status: 401,
  }));
  // Somebody else with a good credential: what is Ann's is as foreign to Ben.
  const named = ['listId', 'id'].some((name) => sent.params?.[name] !== undefined);
  const company = JSON.stringify([sent.query, sent.body]).includes(companies.fund);
  const theirs = named && !company ? 404 : 403;
  if (op.id !== 'instantiateTemplate') {
    cases.push({ says: "Ben's", sent: { ...sent, as: key ? tokens.ben : sessions.ben }, status: theirs });
  }
  if (op.id === 'stepEntry')
    cases.push({ says: 'bound elsewhere', sent: { ...sent, as: tokens.annStartup }, status: 404 });
  if (op.id === 'getMetricSeries' || op.id === 'getLiveMetrics') {
    cases.push({
      says: 'too few scopes',
      sent: { ...sent, as: tokens.plans, query: { ...asQuery(sent), companyId: companies.startup } },
      status: 403,
    });
  }
  if (op.id === 'getMetricSeries') {
    const budgets = { ...asQuery(sent), companyId: companies.startup, versions: 'budget' };
    cases.push({ says: 'scopes of others', sent: { ...sent, as: tokens.actuals, query: budgets }, status: 403 });
  }
  return cases;
}

const asQuery = ({ query }: Sent) => query as Record<string, unknown>;

async function fingerprint({ store }: World): Promise<string> {
  const sums = await Promise.all(tableNames.map(async (table) => (await sumOf(store.db, table)).sha256));
  return sums.join(' ');
}

describe("what is not the caller's", () => {
  let w: World;
  let n: Neighbours;
  let before: string;
  let app: FastifyInstance;
  const logged: { method?: string; key?: string; company?: string }[] = [];
  let tried = 0;
  const overHttp: Transport = async ({ method, url, headers, body }) => {
    const path = url.slice('http://embedded'.length);
    // The methods of operations, which are plain text in a request.
    const answer = await app.inject({ method: method as 'GET', url: path, headers, ...(body && { payload: body }) });
    const plain = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]));
    return { status: answer.statusCode, headers: plain, body: answer.rawPayload };
  };
  beforeAll(async () => {
    w = await world();
    const write = (line: string) => logged.push(JSON.parse(line));
    app = await createApp(w.store, { now: () => now, log: { level: 'info', format: 'json', write } });
    n = await neighbours(w);
    before = await fingerprint(w);
  });
  afterAll(async () => {
    process.stdout.write(`isolation on ${engine}: ${tried} cases of ${ids.length} operations\n`);
    expect(tried).toBeGreaterThan(300);
    await app.close();
    await w.close();
  });

  it.each(ids)('%s', async (id) => {
    for (const { says, sent, status } of casesOf(id, n)) {
      const got: Got = await call(overHttp, id, sent);
      tried += 1;
      expect({ says, status: got.status, text: got.text }).toMatchObject({ says, status });
      expect(got.text, says).not.toContain(mark);
      expect(await fingerprint(w), says).toBe(before);
    }
  });

  it('is not found by its text either', async () => {
    for (const query of [{ companyId: companies.fund }, { companyId: companies.startup }]) {
      expect((await w.call('listLists', { query })).text).not.toContain(mark);
    }
    const search = { params: { listId: n.own.list }, query: { search: mark } };
    expect((await w.call('listEntries', search)).body).toEqual([]);
  });

  it('leaves no secret at rest or in the log', async () => {
    const secrets = [...Object.values(tokens), ...Object.values(sessions)];
    const texts = [JSON.stringify(logged)];
    for (const table of tableNames)
      for await (const rows of rowsOf(w.store.db, table)) texts.push(JSON.stringify(rows));
    for (const secret of secrets) expect(texts.some((text) => text.includes(secret))).toBe(false);
    expect(logged.length).toBeGreaterThan(300);
  });
});

describe("what is the caller's", () => {
  it.each(ids)('%s takes it, also with a credential of the other kind beside', async (id) => {
    const w = await world();
    const n = await neighbours(w);
    const other: Record<string, string> =
      operations[id].credential === 'key' ? { cookie: 'comem-auth-token=none' } : { authorization: 'Bearer no' };
    const got = await w.call(id, { ...valid(id, n), headers: other });
    expect(got.status, got.text).toBeLessThan(300);
    expect(got.text).not.toContain(mark);
    await w.close();
  });
});

describe('hostile texts', () => {
  const texts = [
    ...[
      '%',
      '_',
      '%%',
      "'",
      '"',
      '`',
      '[',
      ']',
      '[]',
      '{',
      '}',
      '\\',
      '\\\\',
      '/',
      '?',
      '$1',
      ':a',
      '@x',
      '--',
      '/*',
      '*/',
      ';',
    ],
    ...[
      "'; drop table entries; --",
      '" or 1=1 --',
      "\\'; select 1",
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
    ],
    ...[
      'null',
      'NaN',
      '-0',
      '1e400',
      '0x10',
      '\t',
      '\n',
      '\u007f',
      '\u00a0',
      '\u200b',
      '\u202e',
      '\ufeff',
      'İ',
      'ß',
      'ﬁ',
      'ǅ',
    ],
    ...['😀', '𝒳𝒴', '👩‍👩‍👧', 'é', 'e\u0301', 'x'.repeat(10_000), '😀'.repeat(5_000), '%'.repeat(300), "'".repeat(301)],
  ];
  let w: World;
  let listId: string;
  beforeAll(async () => {
    w = await world();
    listId = (await w.call('createList', { query: { companyId: companies.fund }, body: { name: 'L' } })).body.id;
    const text = { name: 'Text', attribute_type: 'text' };
    await w.call('createAttribute', { params: { listId }, body: text });
    for (const t of texts) {
      const body = { title: `a${t}b`, values: { text: t } };
      expect((await w.call('createEntry', { params: { listId }, body })).status).toBe(201);
    }
  });
  afterAll(() => w.close());
  const titles = async (query: Record<string, string>) =>
    (await w.call('listEntries', { params: { listId }, query: { limit: '500', ...query } })).body.map(
      ({ title }: { title: string }) => title,
    );

  it.each(texts.map((t) => [t.length > 20 ? `${t.slice(0, 4)} × ${t.length}` : JSON.stringify(t), t]))(
    '%s is sought, filtered, named and kept as text',
    async (_, t) => {
      const params = { listId };
      const folded = t.toLowerCase();
      const expected = texts.map((one) => `a${one}b`).filter((title) => title.toLowerCase().includes(folded));
      expect(await titles({ search: t })).toEqual(expected);
      const exact = texts.filter((one) => one === t).map((one) => `a${one}b`);
      expect(await titles({ 'filter[text]': t })).toEqual(exact);
      const unknownFacet = await w.call('listEntries', { params, query: { [`filter[${t}]`]: 'x' } });
      expect(unknownFacet.status).toBe(400);
      const unknownKey = await w.call('createEntry', {
        params,
        body: `{"title":"x","values":{${JSON.stringify(t)}:"1"}}`,
      });
      expect(unknownKey.status).toBe(400);
      const list = await w.call('createList', {
        query: { companyId: companies.fund },
        body: { name: t, description: t },
      });
      expect([list.status, list.body.name, list.body.description]).toEqual([201, t, t]);
      const attribute = { name: t, attribute_type: 'select', config: { options: [{ id: t, label: t }] } };
      const made = await w.call('createAttribute', { params: { listId: list.body.id }, body: attribute });
      expect(made.body.config.options).toEqual([{ id: t, label: t }]);
      const preferences = await w.call('setMetricPreferences', {
        body: { vcCompanyId: companies.fund, requestedMetrics: [t], cardPages: [{ id: t, title: t, metricIds: [t] }] },
      });
      expect(preferences.body.preferences.cardPages).toEqual([{ id: t, title: t, metricIds: [t] }]);
      const view = { id: crypto.randomUUID(), filters: JSON.stringify({ search: t, text: [t] }) };
      const at = now.toISOString();
      await w.store.db
        .insertInto('saved_views')
        .values({
          ...{ ...view, room_id: null, company_id: companies.fund, created_by: null, name: t, description: null },
          ...{ icon: null, position: 0, is_pinned: 0, created_at: at, updated_at: at },
        })
        .execute();
      expect(await titles({ viewId: view.id })).toEqual(exact);
      for (const path of [{ listId: t }, { listId: `${listId}${t}` }]) {
        if (t === '/') continue;
        expect((await w.call('getList', { params: path })).status).toBeGreaterThanOrEqual(400);
      }
    },
  );

  it('leaves the database whole', async () => {
    expect(await titles({})).toEqual(texts.map((t) => `a${t}b`));
    const api = createApi(w.store, { now: () => now });
    expect((await call(api, 'listLists', { query: { companyId: companies.fund } })).body).toHaveLength(
      texts.length + 1,
    );
  });
});
