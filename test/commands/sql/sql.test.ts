/** `comem sql` in process: statements over the demo, what is refused, and what is read for it. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Transport } from '../../../src/core/wire.ts';
import { temporaryFolder } from '../../helpers/cli.ts';
import { freshApi, type RunOptions, run } from '../../helpers/run.ts';
import { sqlEngine } from '../../helpers/sql-engine.ts';

const aliases = ['-p', 'demo'];

async function sql(words: string | readonly string[], options: RunOptions = {}) {
  const argv = typeof words === 'string' ? [words] : words;
  return run(['sql', ...argv], { ...options, sqlEngine: await sqlEngine() });
}

async function rows(statement: string, options: RunOptions = {}): Promise<Record<string, unknown>[]> {
  const { stdout, stderr, code } = await sql([statement, '-o', 'json'], options);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
  return JSON.parse(stdout);
}

describe('a statement', () => {
  it('groups, joins and windows over lists and metrics', async () => {
    expect(
      await rows(
        'select stage, count(*) n, sum(valuation) total from deal_pipeline group by 1 order by 3 desc limit 2',
      ),
    ).toEqual([
      { stage: 'Passed', n: 248, total: 6_207_500_000 },
      { stage: 'Invested', n: 14, total: 465_300_000 },
    ]);
    const windowed = `with months as (
        select period_key, value, value - lag(value) over (order by period_key) as added
        from metric_points where metric_id = 'mrr' and version = 'actual' and company = :company)
      select period_key, round(added, 2) as added from months order by 1 desc limit 1`;
    const joined = `select p.title, m.value from portfolio p join metric_points m on m.company_id = p.linked_entity_id
      where m.metric_id = 'headcount' and m.version = 'actual' and m.period_key = '2026-02' order by 2 desc limit 1`;
    const found = await sql([windowed, '-p', 'demo', '--param', 'company=lumen', '-o', 'json']);
    expect(JSON.parse(found.stdout)).toEqual([{ period_key: '2026-02', added: 27_321.08 }]);
    const [first] = JSON.parse((await sql([joined, '-p', 'demo', '-o', 'json'])).stdout);
    expect(first).toMatchObject({ title: expect.any(String), value: expect.any(Number) });
  });

  it('reads only what it names, each table once', async () => {
    const paths = (requests: { path: string; query: Record<string, string> }[]) =>
      requests.map(({ path, query }) =>
        `${path
          .split('/')
          .slice(2)
          .join('/')
          .replace(/[0-9a-f-]{36}/, 'ID')} ${query.offset ?? ''}`.trim(),
      );
    const own = await sql(
      'select count(*) from hiring a join hiring b using (id) where a.id in (select id from hiring)',
    );
    expect(own.stdout).toBe('count(*)\n37\n');
    expect(paths(own.requests)).toEqual(['lists', 'lists/ID', 'lists/ID/entries 0']);
    const none = await sql('with hiring as (select 1 as x) select x from hiring');
    expect({ out: none.stdout, requests: none.requests }).toEqual({ out: 'x\n1\n', requests: [] });
    const grants = await sql('select count(*) > 0 as any from grants');
    expect(paths(grants.requests)).toEqual(['metrics/grants']);
  });

  it.each([
    ['hiring a join hiring b using (id)'],
    ['"Hiring" a join "hiring" b using (id)'],
    ['hiring natural join (select id from hiring)'],
    ['hiring a join (select id as key from hiring) b on b.key = a.id'],
  ])('has the columns by which it joins: %s', async (tables) => {
    expect(await rows(`select count(*) n from ${tables}`)).toEqual([{ n: 37 }]);
  });

  it('leaves out archived entries unless --archived is given', async () => {
    const count = 'select count(*) as n, sum(archived) as a from hiring';
    expect((await sql(count)).stdout).toBe('n\ta\n37\t0\n');
    expect((await sql([count, '--archived'])).stdout).toBe('n\ta\n64\t27\n');
  });

  it('has labels, ISO dates, JSON lists and booleans', async () => {
    const [row] = await rows(
      `select stage, tags, warm_intro, first_contact, conviction, typeof(first_contact) t from deal_pipeline where title = 'Kite Logistics'`,
    );
    expect(row).toEqual({
      ...{ stage: 'Passed', tags: '["Open source"]', warm_intro: true, first_contact: '2023-01-07' },
      ...{ conviction: 4, t: 'text' },
    });
    expect(
      await rows(`select value, count(*) n from deal_pipeline, json_each(tags) group by 1 order by 2 desc, 1 limit 1`),
    ).toEqual([{ value: expect.any(String), n: expect.any(Number) }]);
  });

  it('refuses a date without quotes, and warns of a boolean that is compared with a text', async () => {
    const from = 'select count(*) n from deal_pipeline where';
    for (const [condition, message, hint] of [
      ['first_contact >= 2024-01-01', '2024-01-01 is a subtraction', "write '2024-01-01'"],
      ['period >= 2024-02', '2024-02 is a subtraction', "write '2024-02'"],
    ]) {
      const refused = await sql([`${from} ${condition}`]);
      expect([refused.code, refused.stdout]).toEqual([2, '']);
      expect(refused.stderr).toContain(message);
      expect(refused.stderr).toContain(hint);
    }
    expect((await sql([`${from} title = 'true'`, '-o', 'csv'])).stdout).toBe('n\n0\n');
    const truth = await sql([`${from} warm_intro <> 'False'`]);
    expect([truth.code, truth.stderr]).toEqual([
      0,
      'comem: warning: deal_pipeline.warm_intro is 1 or 0, which never equals the text "False": write false without quotes\n',
    ]);
    expect((await sql(['select 5000-12 as a, 2024 - 01 - 01 as b, 1999-7 as c'])).stdout).toBe(
      'a\tb\tc\n4988\t2022\t1992\n',
    );
  });

  it('comes from an argument, a file or stdin', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'one.sql'), '-- a question\nselect 1 as x;\n');
    for (const words of [['one.sql'], ['-f', 'one.sql'], ['@one.sql'], ['--file=one.sql']]) {
      expect((await sql(words, { cwd })).stdout).toBe('x\n1\n');
    }
    for (const words of [['-'], []]) expect((await sql(words, { stdin: 'select 1 as x' })).stdout).toBe('x\n1\n');
    const twice = await sql(['select 1', '-f', 'one.sql'], { cwd });
    expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining('given twice') });
  });

  it('goes to any format and file', async () => {
    const cwd = temporaryFolder();
    const statement = 'select id, title, fair_value from portfolio order by title limit 2';
    expect((await sql([statement, '-o', 'id'])).stdout.trim().split('\n')).toHaveLength(2);
    expect((await sql([statement, '--jq', '.[0].fair_value | type'])).stdout).toBe('number\n');
    expect((await sql([statement, '--fields', 'title', '--limit', '1'])).stdout).toMatch(/^title\n.+\n$/);
    for (const file of ['a.parquet', 'a.xlsx', 'a.csv']) await sql([statement, '--out', file], { cwd });
    expect(readdirSync(cwd).sort()).toEqual(['a.csv', 'a.parquet', 'a.xlsx']);
    const without = await sql(['select title from portfolio', '-o', 'id']);
    expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('no column "id"') });
  });

  it('names columns apart', async () => {
    expect((await sql(['select 1 as a, 2 as a, 3 as a_2', '-o', 'json'])).stdout).toBe(
      '[\n{"a":1,"a_2":2,"a_2_2":3}\n]\n',
    );
  });
});

describe('the time', () => {
  it('is that of the command', async () => {
    const statement = `select date('now', '+1 day') d, current_date c, datetime('NOW', 'start of year') t,
      strftime('%Y') y, date() e, 'now' n, strftime('%Y', 'now', '-1 year') l, max(title) > '' x
      from hiring where 'now' <> current_timestamp`;
    const { stdout } = await sql([statement, '-o', 'csv', '--no-header'], { now: '2031-05-20T12:00:00Z' });
    expect(stdout).toBe('2031-05-21,2031-05-20,2031-01-01 00:00:00,2031,2031-05-20,now,2030,1\n');
  });
});

describe('a list that another company shares', () => {
  const [own, other, list] = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`);
  const shared = { id: list, slug: 'shared', name: 'Shared', company_id: other, network_id: own };
  /** Its answers have archived entries unless the query excludes them. */
  const transport: Transport = async ({ url }) => {
    const { pathname, searchParams } = new URL(url);
    const entry = { id: '4', title: 'kept', values: {}, archived: false };
    const both = searchParams.get('archived') === 'false' ? [entry] : [entry, { ...entry, id: '5', archived: true }];
    const answers: Record<string, unknown> = {
      '/api/lists': [shared],
      [`/api/lists/${list}`]: { ...shared, list_attributes: [] },
      [`/api/lists/${list}/entries`]: both.slice(Number(searchParams.get('offset') ?? 0)),
      '/api/metrics/catalog': {
        ...{ companyId: searchParams.get('companyId'), currency: 'USD', sourceBoundary: 'company_internal' },
        definitions: [{ metricId: 'mrr', label: 'MRR', custom: false, archived: false }],
      },
    };
    const headers = { 'content-type': 'application/json' };
    return { status: 200, headers, body: Buffer.from(JSON.stringify(answers[pathname])) };
  };

  it.each([
    'select (select count(*) from shared) n, (select company_id from metric_catalog) c',
    'select (select count(*) from shared) n, (select max(company_id) from metric_catalog) c from shared',
  ])('leaves metrics to the own company, and has no archived entries: %s', async (statement) => {
    const { stdout, stderr } = await sql([statement, '-o', 'csv', '--no-header'], {
      ...{ transport, env: { COMEM_COMPANY_ID: own } },
    });
    expect(stdout, stderr).toBe(`1,${own}\n`);
  });
});

describe('numbers', () => {
  const list = '00000000-0000-4000-8000-0000000000aa';
  const answers: Record<string, string> = {
    '/api/lists': `[{"id":"${list}","name":"Odd","slug":"odd-list"}]`,
    [`/api/lists/${list}`]: `{"id":"${list}","name":"Odd","slug":"odd-list","list_attributes":[
      {"id":"1","slug":"amount","name":"A","attribute_type":"currency","config":{"currency":"EUR"},"position":0},
      {"id":"2","slug":"amount-text","name":"B","attribute_type":"text","position":1},
      {"id":"3","slug":"title","name":"C","attribute_type":"text","position":2}]}`,
    [`/api/lists/${list}/entries`]: `[
      {"id":"1","title":"a","values":{"amount":9007199254740993,"title":"own"}},
      {"id":"2","title":"b","values":{"amount":0.1234567890123456789,"amount-text":"x"}},
      {"id":"3","title":"c","values":{"amount":1.10}},
      {"id":"4","title":"d","values":{"amount":123456789012345678901234567890}},
      {"id":"5","title":"e","values":{}}]`,
  };
  const transport: Transport = async ({ url }) => {
    const { pathname, searchParams } = new URL(url);
    const body = Number(searchParams.get('offset') ?? 0) > 0 ? '[]' : (answers[pathname] ?? '[]');
    return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(body) };
  };

  const twiceNamed: Transport = async ({ url }) => {
    const { pathname, searchParams } = new URL(url);
    const named = `{"id":"${list}","name":"Twice","slug":"twice-named"`;
    const attributes = ['first-contact', 'first_contact'].map(
      (slug, index) =>
        `{"id":"${index}","slug":"${slug}","name":"${slug}","attribute_type":"text","position":${index}}`,
    );
    const bodies: Record<string, string> = {
      '/api/lists': `[${named}}]`,
      [`/api/lists/${list}`]: `${named},"list_attributes":[${attributes}]}`,
      [`/api/lists/${list}/entries`]:
        searchParams.get('offset') === '0'
          ? '[{"id":"1","title":"t","values":{"first-contact":"a","first_contact":"b"}}]'
          : '[]',
    };
    const body = Buffer.from(bodies[pathname] ?? '[]');
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  };

  it('are exact integers, else doubles beside their digits', async () => {
    const { stdout, stderr } = await sql(
      ['select id, amount, amount_text_2 as digits, typeof(amount) as t from odd_list order by 1', '-o', 'json'],
      { transport },
    );
    expect(stderr).toBe('');
    expect(stdout).toBe(`[
{"id":"1","amount":9007199254740993,"digits":"9007199254740993","t":"integer"},
{"id":"2","amount":0.12345678901234568,"digits":"0.1234567890123456789","t":"real"},
{"id":"3","amount":1.1,"digits":"1.10","t":"real"},
{"id":"4","amount":1.2345678901234568e+29,"digits":"123456789012345678901234567890","t":"real"},
{"id":"5","amount":null,"digits":null,"t":"null"}
]
`);
    const clash = await sql(['select first_contact_2 from twice_named limit 1'], { transport: twiceNamed });
    expect(clash).toMatchObject({ code: 0, stdout: 'first_contact_2\nb\n' });
    expect(clash.stderr).toBe(
      'twice_named: "first_contact" is the column first_contact_2, since first_contact is another one\n',
    );
    const names = await sql(['select amount_text, values_title, title from odd_list limit 1', '-o', 'csv'], {
      transport,
    });
    expect(names.stdout).toBe('amount_text,values_title,title\n,own,a\n');
    const sum = await sql(
      ['select amount + :more as n from odd_list where id = 1', '--param', 'more=9007199254740995'],
      { transport },
    );
    expect(sum.stdout).toBe('n\n18014398509481988\n');
  });
});

describe('parameters', () => {
  it('have the type that they look like, or that JSON says', async () => {
    const given = ['a=3', 'b=2.50', 'c=007', 'd=', 'e=true', 'f=null', 'g:="3"', 'h:=[1,2]', 'i=9223372036854775807'];
    const names = given.map((each) => each[0] ?? '');
    const statement = `select ${names.map((name) => `typeof(:${name}) || ' ' || coalesce(:${name}, '') as ${name}`).join(', ')}`;
    const { stdout } = await sql([statement, ...given.flatMap((each) => ['--param', each]), '-o', 'json']);
    expect(Object.values(JSON.parse(stdout)[0])).toEqual([
      ...['integer 3', 'real 2.5', 'text 007', 'text ', 'integer 1', 'null ', 'text 3', 'text [1,2]'],
      'integer 9223372036854775807',
    ]);
  });
});

describe('what is refused', () => {
  it.each([
    ['select stge from deal_pipeline', 'the statement is refused: no such column: stge', 'did you mean stage?'],
    ["select value from metric_points where metric = 'mrr'", 'no such column: metric', 'did you mean metric_id?'],
    ['select xyz from portfolio', 'no such column: xyz', 'sql --schema portfolio`'],
    [
      'select * from deal_pipelin',
      'the statement is refused: no such table: deal_pipelin',
      'did you mean deal_pipeline?',
    ],
    ['select * from deal-pipeline', 'the statement is refused: near "-": syntax error', 'did you mean deal_pipeline?'],
    ['select * from metrics', 'no such table: metrics', 'did you mean metric_points or metric_catalog?'],
    ['select * from deal_pipeline join team using (id)', 'no such table: team', 'run `comem sql --tables`'],
    ['select "Passed" as s from deal_pipeline where stage = "Passed"', 'no such column: "Passed"', "quotes: 'Passed'"],
    ['with t as (select stge from deal_pipeline) select * from t', 'no such column: stge', 'did you mean stage?'],
    ['select corr(value, value) from metric_points', 'no such function: corr', 'sql --schema metric_points`'],
    ['select :x', 'the parameter ":x" has no value', 'add --param x=VALUE'],
    ['select ?', 'a parameter has no name', 'write :name'],
    ['delete from portfolio', 'the statement is not allowed: a statement only reads its tables', 'entries create'],
    ['select sqlite_compileoption_get(1)', 'the function "sqlite_compileoption_get" is not allowed', ''],
    ['select 1; select 2', 'there is a second statement', 'run one at a time'],
    ['/* nothing */', 'the statement is empty', 'comem sql "select 1"'],
    ['select 1e999', 'the statement gives Infinity, which is not a number', ''],
  ])('%j', async (statement, message, hint) => {
    const { code, stdout, stderr, requests } = await sql([statement]);
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(requests.filter(({ path }) => path.endsWith('/entries') || path.includes('/series'))).toEqual([]);
  });

  it('a statement that is missing, on a terminal', async () => {
    const { code, stderr } = await sql([], { tty: true });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("comem sql 'select 1'") });
  });

  it('a parameter that the statement does not have', async () => {
    const { code, stderr } = await sql(['select :limit', '--param', 'limit=1', '--param', 'limt=2']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'comem: the statement has no parameter "limt"\n  hint: did you mean limit?\n',
    });
  });

  it('a statement that fails while it runs', async () => {
    const { code, stderr } = await sql("select json_extract('{', '$.a')");
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'comem: the statement is refused: malformed JSON\n' });
  });
});

describe('tables', () => {
  it('are listed, with their columns', async () => {
    const { stdout } = await sql(['--tables', '-o', 'id']);
    expect(stdout.trim().split('\n')).toEqual([
      ...['metric_points', 'metric_catalog', 'grants', 'grant_metrics', 'published_points', 'companies'],
      ...['deal_pipeline', 'portfolio', 'investor_crm', 'hiring'],
      ...['metric_points_history', 'metric_catalog_history', 'grants_history', 'lists_history'],
      ...['attributes_history', 'published_points_history'],
      ...['deal_pipeline_history', 'portfolio_history', 'investor_crm_history', 'hiring_history'],
    ]);
    const columns = JSON.parse((await sql(['--schema', 'portfolio', '-o', 'json'])).stdout);
    expect(columns).toContainEqual({
      table: 'portfolio',
      column: 'fair_value',
      type: 'NUMERIC',
      holds: 'currency',
      unit: 'USD',
    });
    const all = await sql(['--schema', '-o', 'csv']);
    expect(all.stdout).toContain('metric_points,value_text,TEXT,text,');
    const unknown = await sql(['--schema', 'portfolo']);
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean portfolio?') });
  });

  it('of metrics are of the companies of -c, else of all that may be read', async () => {
    const count = 'select company, count(*) > 0 as has from metric_points group by 1';
    expect((await sql([count, ...aliases, '-c', 'lumen', '-c', 'quill'])).stdout).toBe(
      'company\thas\nlumen\t1\nquill\t1\n',
    );
    const all = await sql([count, ...aliases]);
    expect(all.stdout.split('\n')).toHaveLength(8);
    expect(all.stderr).toBe('metric_points has no rows of companies that you may not read: cedar, alder\n');
    const refused = await sql([count, ...aliases, '-c', 'cedar']);
    expect(refused).toMatchObject({ code: 4, stdout: '' });
  });

  // Rows of each table; undefined: it is unknown.
  it.each<[string, Record<string, number | undefined>]>([
    ['-c lumen', { grants: 1, grant_metrics: 0, portfolio: undefined, published_points: 566, grants_history: 1 }],
    ['-c northgate -c lumen', { grants: 7, grant_metrics: 11, portfolio: 22, grants_history: 9, lists_history: 4 }],
    ['-c lumen -c tessera', { grants: 3, published_points: 670, metric_catalog: 26, metric_catalog_history: 26 }],
    ['-c @portfolio', { grants: 6, published_points: 679, published_points_history: 688, attributes_history: 0 }],
    ['-c @all', { grants: 12, grant_metrics: 15, portfolio: 22, metric_points: 8660 }],
  ])('are of the companies of %s', async (companies, expected) => {
    for (const [name, count] of Object.entries(expected)) {
      const argv = [`select count(*) from ${name}`, ...aliases, ...companies.split(' '), '--no-header'];
      const { code, stdout, stderr } = await sql(argv);
      const found = { name, code, stdout: stdout.trim(), hints: stderr.includes(`those of lumen (-c)`) };
      const wanted = count === undefined ? { code: 2, stdout: '', hints: true } : { code: 0, stdout: String(count) };
      expect(found).toMatchObject({ name, ...wanted });
    }
  });
});

describe('the engine', () => {
  const endless = 'with recursive c(x) as (select 1 union all select x + 1 from c) select max(x) from c';

  it('is ended by the time-out', async () => {
    const { code, stderr } = await sql([endless, '--timeout', '0.3']);
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr:
        'comem: the statement took longer than 0.3 s and was cancelled\n  hint: give it more time with --timeout, or make it read fewer rows\n',
    });
  });

  it('is ended after 30 s without a row', async () => {
    const { setTimeout: start } = globalThis;
    const faster = (run: () => void, ms?: number) => start(run, ms === 30_000 ? 300 : ms);
    const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(faster as typeof start);
    const { code, stderr } = await sql([endless]).finally(() => timers.mockRestore());
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining('took longer than 30 s') });
  });

  it('is ended by a signal', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error('SIGINT')), 300);
    const { code, stdout } = await sql([endless], { signal: stop.signal });
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
  });

  it('leaves no file behind', async () => {
    // Of its own: other tests use the engine at the same time.
    const own = temporaryFolder();
    vi.stubEnv('TMPDIR', own);
    try {
      await sql('select count(*) from hiring');
      await sql('select nothing from hiring');
      expect(readdirSync(own)).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

it('a read that fails is a failure, and nothing is printed', async () => {
  const api = await freshApi();
  const transport: Transport = (request) =>
    new URL(request.url).pathname.endsWith('/entries')
      ? Promise.resolve({ status: 500, headers: {}, body: Buffer.from('{"error":"broken"}') })
      : api.transport(request);
  const { code, stdout, stderr } = await sql(['select * from hiring', '--retries', '0'], { transport });
  expect({ code, stdout, stderr }).toEqual({ code: 5, stdout: '', stderr: expect.stringContaining('broken') });
});
