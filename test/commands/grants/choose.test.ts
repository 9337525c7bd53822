import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../helpers/cli.ts';
import { ids, instead, metricsWorld, sent, type World } from '../../helpers/metrics-world.ts';

let world: World;
let cwd: string;
beforeEach(async () => {
  world = await metricsWorld();
  cwd = temporaryFolder();
});
afterEach(() => world.close());

const outcomes = (stdout: string) =>
  (JSON.parse(stdout) as { id: string; outcome: string }[]).map(({ id, outcome }) => `${id} ${outcome}`);
const revoke = (...argv: string[]) => world.run(['grants', 'revoke', ...argv, '-o', 'json'], { cwd });
const patches = (result: Parameters<typeof sent>[0]) => sent(result).filter((line) => line.startsWith('PATCH'));

describe('grants revoke with flags', () => {
  it.each([
    [['--expired'], [ids.expired]],
    [['--recipient', ids.investor], [ids.active]],
    [
      ['--metric', 'mrr'],
      [ids.active, ids.expired],
    ],
    [['--metric', 'mrr', '--expired'], [ids.expired]],
    [['--all'], [ids.active, ids.expired, ids.toGuest]],
    [
      ['--older-than', '1m'],
      [ids.active, ids.expired, ids.toGuest],
    ],
    [['--older-than', '1y'], []],
    [['--expired', '--older-than', '90d'], [ids.expired]],
    [['--expired', '--older-than', '6m'], []],
    [['--expired', '--older-than', '6mo'], []],
    [['--recipient', ids.nothing], []],
  ])('%j', async (flags, chosen) => {
    const result = await revoke(...flags, '--yes');
    expect([result.code, outcomes(result.stdout).sort()]).toEqual([0, chosen.map((id) => `${id} revoked`).sort()]);
    const again = await revoke(...flags);
    expect([again.code, patches(again)]).toEqual([0, []]);
  });

  it('chooses by a metric of the catalog that no grant names, and by any where the catalog cannot be read', async () => {
    const known = await revoke('--metric', 'headcount', '--yes');
    expect([known.code, outcomes(known.stdout)]).toEqual([0, [`${ids.active} revoked`]]);
    const transport = instead(world.transport, (_, { pathname }) =>
      pathname === '/api/metrics/catalog' ? { status: 403, body: { error: 'no', status: 403 } } : undefined,
    );
    const argv = ['grants', 'revoke', '--metric', 'nosuch', '--yes', '-o', 'json'];
    expect((await world.run(argv, { cwd, transport })).code).toBe(0);
  });

  it('narrows what is named', async () => {
    const result = await revoke(ids.active, ids.toGuest, ids.revoked, ids.nothing, '--recipient', ids.investor, '-y');
    expect([result.code, outcomes(result.stdout)]).toEqual([
      7,
      [`${ids.active} revoked`, `${ids.toGuest} skipped`, `${ids.revoked} unchanged`, `${ids.nothing} failed`],
    ]);
    expect(result.stderr).toContain('Plan: revoke 2 grants (1 revoked already, 1 not chosen by the flags).');
    expect(result.stderr).toContain('1 revoked, 1 unchanged, 1 skipped, 1 failed.');
  });

  it.each([
    [[], 'no grants are chosen'],
    [['--all', '--expired'], '--all chooses every grant'],
    [['--older-than', 'long'], '--older-than must be a time'],
    [['--plan', 'p.json', '--all'], '--plan names the grants'],
    [['--plan', 'p.json'], 'cannot read --plan p.json: not found'],
    [['--all', '--plan-out', 'no/p.json'], '--plan-out no/p.json cannot be written: its folder does not exist'],
    [['--metric', 'mrr,arr', '-y'], '--metrics takes the id of one metric'],
    [['--metric', 'mmr', '-y'], 'did you mean mrr?', 3],
    [['--metric', 'nosuch', '-y'], 'the catalog has no metric', 3],
  ])('refuses %j', async (flags, says, code = 2) => {
    const result = await revoke(...flags, '-y');
    expect([result.code, patches(result)]).toEqual([code, []]);
    expect(result.stderr).toContain(says);
  });

  it('says what it would do, and asks', async () => {
    const result = await revoke('--all');
    expect([result.code, patches(result)]).toEqual([2, []]);
    expect(result.stderr).toContain('Plan: revoke 3 grants.');
    expect(result.stderr).toContain(`  ${ids.active}: all metrics to ${ids.investor}`);
  });
});

describe('a plan', () => {
  it('is kept, reviewed and executed as it stands, and again without harm', async () => {
    const made = await revoke('--recipient', ids.investor, '--plan-out', 'plan.json');
    expect([made.code, patches(made)]).toEqual([0, []]);
    const plan = JSON.parse(readFileSync(join(cwd, 'plan.json'), 'utf8'));
    expect(plan).toMatchObject({
      comem: 'grants-plan',
      version: 1,
      company: ids.company,
      grants: [{ id: ids.active }],
    });
    expect((await revoke('--plan', 'plan.json')).code).toBe(2);
    const done = await revoke('--plan', 'plan.json', '--yes');
    expect([done.code, outcomes(done.stdout)]).toEqual([0, [`${ids.active} revoked`]]);
    const again = await revoke('--plan', 'plan.json', '--yes');
    expect([again.code, outcomes(again.stdout), patches(again)]).toEqual([0, [`${ids.active} unchanged`], []]);
  });

  it('is refused when a grant has changed, is gone, or the plan is for another company', async () => {
    await revoke('--all', '--plan-out', 'plan.json');
    const text = readFileSync(join(cwd, 'plan.json'), 'utf8');
    const refused = async (changed: string, says: string) => {
      writeFileSync(join(cwd, 'changed.json'), changed);
      const result = await revoke('--plan', 'changed.json', '--yes');
      expect([result.code, patches(result)]).toEqual([2, []]);
      expect(result.stderr).toContain(says);
    };
    await refused(
      text.replace('"include_historical": true', '"include_historical": false'),
      'another include_historical',
    );
    await refused(text.replace(ids.active, ids.nothing), 'no longer exists');
    await refused(text.replace(ids.company, ids.other), `was made for company ${ids.other}`);
    await refused(text.replace('https://', 'https://other.'), 'was made for https://other.');
    await refused('{}', 'is not a plan');
    await refused('nonsense', 'is not a plan');
    await refused(text.replace('grants-plan', 'import-plan'), 'is not a plan');
    await refused(text.replace(ids.active, 'a c m e'), 'is not a plan');
  });
});

describe('verification', () => {
  it('takes a grant for revoked only when the answer or the list says so', async () => {
    const says = (grant: Record<string, unknown>) =>
      instead(world.transport, ({ method }) => (method === 'PATCH' ? { status: 200, body: { grant } } : undefined));
    const argv = ['grants', 'revoke', ids.active, '-y', '-o', 'json'];
    const still = await world.run(argv, { transport: says({ id: ids.active, status: 'active' }) });
    expect([still.code, outcomes(still.stdout)]).toEqual([6, [`${ids.active} failed`]]);
    const late: typeof world.transport = async (request) => {
      const answer = await world.transport(request);
      if (request.method !== 'PATCH') return answer;
      return { ...answer, body: Buffer.from(JSON.stringify({ grant: { id: ids.active } })) };
    };
    const done = await world.run(argv, { transport: late });
    expect([done.code, outcomes(done.stdout)]).toEqual([0, [`${ids.active} revoked`]]);
    expect(JSON.parse(done.stdout)[0].revoked_at).toMatch(/^2024-06-15/);
  });

  it('reports a row for each of a thousand, and reads the list twice at most', async () => {
    const many = Array.from({ length: 1000 }, (_, n) => `00000000-0000-4000-9000-${String(n).padStart(12, '0')}`);
    const stdin = [...many, ids.active, ids.revoked].join('\n');
    const result = await world.run(['grants', 'revoke', '-', '-y', '-o', 'json'], { stdin });
    const rows = outcomes(result.stdout);
    expect([result.code, rows.length]).toEqual([7, 1002]);
    expect(rows.slice(-3)).toEqual([`${many[999]} failed`, `${ids.active} revoked`, `${ids.revoked} unchanged`]);
    expect(sent(result).filter((line) => line.startsWith('GET')).length).toBeLessThanOrEqual(2);
  });
});

describe('audit, matrix and expiring', () => {
  it('audit finds what is there, exit 1 only with --exit-code', async () => {
    const rows = (await world.json(['grants', 'audit'])) as { id: string; rule: string }[];
    expect(rows.map(({ id, rule }) => `${id} ${rule}`)).toEqual(
      expect.arrayContaining([`${ids.active} no_expiry`, `${ids.active} historical_without_note`]),
    );
    expect((await world.run(['grants', 'audit'])).code).toBe(0);
    expect((await world.run(['grants', 'audit', '--exit-code'])).code).toBe(1);
    const one = await world.run(['grants', 'audit', '--where', 'rule = archived_metric', '--exit-code']);
    expect(one.code).toBe(0);
    expect((await world.run(['grants', 'audit', '--where', 'rule = nope'])).code).toBe(2);
    expect((await world.run(['grants', 'audit', '--rule', 'no_expiry'])).stderr).toContain("--where 'rule = RULE'");
  });

  it('matrix shows metrics by recipient, and counts those who read none of them', async () => {
    const [header, ...lines] = await world.csv(['grants', 'matrix', '-m', 'mrr,headcount']);
    expect(header).toBe(`metric,${ids.investor}`);
    expect(lines).toEqual(['mrr,history', 'headcount,history']);
    const rows = (await world.json(['grants', 'matrix'])) as { metric: string; recipients: Record<string, string> }[];
    expect(rows.map(({ metric }) => metric)).not.toContain('old');
    expect(rows[0]?.recipients).toEqual({ [ids.investor]: 'history' });
  });

  it('revoke --quiet prints nothing, and the rows where a format is asked for', async () => {
    const create = ['grants', 'create', '--recipient-user', ids.guest, '-m', 'mrr', '--jq', '.id', '--yes'];
    const id = async () => (await world.run(create)).stdout.trim();
    const revoke = ['grants', 'revoke', '--yes', '--quiet'];
    const silent = await world.run([...revoke, await id()]);
    expect([silent.code, silent.stdout, silent.stderr]).toEqual([0, '', '']);
    expect((await world.run([...revoke, await id(), '-o', 'csv'])).stdout).toContain(',revoked,');
  });

  it('expiring lists what ends soon', async () => {
    const list = ['grants', 'expiring', '-o', 'id'];
    await world.run(['grants', 'create', '--recipient-user', ids.guest, '--all-metrics', '--expires', '40d']);
    await world.run(['grants', 'create', '--recipient-user', ids.guest, '--all-metrics', '--expires', '10d']);
    expect((await world.run(list)).stdout.trim().split('\n')).toHaveLength(1);
    expect((await world.run([...list, '--within', '6w'])).stdout.trim().split('\n')).toHaveLength(2);
    expect((await world.run([...list, '--within', '5d'])).stdout).toBe('');
    expect((await world.run([...list, '--within', 'x'])).code).toBe(2);
  });
});

describe('a choice by a field that the server left out', () => {
  const without = (field: string) =>
    instead(world.transport, ({ method }, { pathname }) => {
      if (method !== 'GET' || !pathname.endsWith('/grants')) return undefined;
      const grant = {
        id: ids.active,
        status: 'active',
        recipient_company_id: ids.investor,
        metric_ids: ['mrr'],
        created_at: '2020-01-01T00:00:00Z',
        updated_at: '2020-01-01T00:00:00Z',
      };
      return {
        status: 200,
        body: { grants: [Object.fromEntries(Object.entries(grant).filter(([name]) => name !== field))] },
      };
    });

  it('is refused by matrix, whose columns are the recipients', async () => {
    const result = await world.run(['grants', 'matrix'], { cwd, transport: without('recipient_company_id') });
    expect([result.code, result.stdout]).toEqual([6, '']);
    expect(result.stderr).toContain('comem needs recipient_company_id or recipient_user_id');
  });

  it.each([
    [['--older-than', '2024-01-01'], 'created_at'],
    [['--older-than', '1m'], 'created_at'],
    [['--where', 'created_at < 2024'], 'created_at'],
    [['--changed-since', '2019-01-01'], 'updated_at'],
    [['--changed-since', 'last'], 'updated_at'],
    [['--metric', 'mrr'], 'metric_ids'],
    [['--where', 'metric_ids has mrr'], 'metric_ids'],
    [['--recipient', ids.investor], 'recipient_company_id'],
    [['--all'], 'status'],
  ])('is refused: %j without %s', async (flags, field) => {
    const result = await world.run(['grants', 'revoke', ...flags, '--yes', '-o', 'json'], {
      cwd,
      transport: without(field),
    });
    expect([result.code, result.stdout, patches(result)]).toEqual([6, '', []]);
    expect(result.stderr).toContain('comem needs');
    expect(result.stderr).toContain(field);
    const complete = await world.run(['grants', 'revoke', ...flags, '--dry-run'], { cwd, transport: without('note') });
    expect(complete.code, complete.stderr).toBe(0);
  });
});

describe('a job without a person', () => {
  const quiet = ['grants', 'revoke', '--yes', '--quiet'];

  it.each([[], ['-o', 'csv'], ['-o', 'id'], ['--jq', '.']])(
    '--fail-empty is exit 1 under --quiet %j',
    async (...more) => {
      const none = [...quiet, '--where', 'created_at < 2000', '--fail-empty', ...more];
      expect((await world.run(none, { cwd })).code).toBe(1);
    },
  );

  it('names the failed grants on stderr where no row is printed, and says each thing once', async () => {
    const refusing = (...refused: string[]) =>
      instead(world.transport, ({ method }, { pathname }) =>
        method === 'PATCH' && refused.some((id) => pathname.includes(id))
          ? { status: 403, body: { error: 'not yours', status: 403 } }
          : undefined,
      );
    const some = await world.run([...quiet, '--all'], { cwd, transport: refusing(ids.expired) });
    expect([some.code, some.stdout]).toEqual([7, '']);
    expect(some.stderr).toMatch(new RegExp(`\\n {2}${ids.expired}: .*not yours`));
    expect(some.stderr).not.toContain('column');
    const all = await world.run(['grants', 'revoke', '--yes', '--all'], {
      cwd,
      transport: refusing(ids.active, ids.expired, ids.toGuest),
    });
    expect(all.stderr).not.toContain('details');
  });

  it('history counts a grant that another job revoked as unchanged, as the rows do', async () => {
    const home = temporaryFolder();
    const late = instead(world.transport, ({ method }) =>
      method === 'PATCH' ? { status: 409, body: { error: 'revoked already', status: 409 } } : undefined,
    );
    await revoke('--all', '--yes');
    const again = await world.run(['grants', 'revoke', ids.active, ids.toGuest, '--yes', '-o', 'json'], {
      ...{ cwd, home, transport: late },
    });
    expect([again.code, outcomes(again.stdout)]).toEqual([0, [`${ids.active} unchanged`, `${ids.toGuest} unchanged`]]);
    const history = await world.run(['history', '-o', 'json'], { cwd, home });
    expect(JSON.parse(history.stdout)).toMatchObject([{ changed: '2 unchanged', undo: 'no' }]);
  });

  it.each([
    ['ndjson', /^\{"method":"PATCH"[^\n]*\n\{"method"/],
    ['csv', /^method,url,body\nPATCH,/],
    ['id', /^$/],
  ])('a dry run obeys -o %s, or refuses it', async (format, printed) => {
    const { code, stdout } = await world.run(['grants', 'revoke', '--all', '--dry-run', '-o', format], { cwd });
    expect([code, stdout]).toEqual([format === 'id' ? 2 : 0, expect.stringMatching(printed)]);
  });

  it('conditions take the names of companies that a plan prints, and refuse unknown ones', async () => {
    const home = temporaryFolder();
    await world.run(['companies', 'add', 'bigfund', ids.investor], { cwd, home });
    const plan = async (where: string) =>
      world.run(['grants', 'revoke', '--where', where, '--dry-run', '-o', 'ndjson'], { cwd, home });
    for (const name of ['bigfund', '"bigfund"', `"${ids.investor}"`]) {
      const { stdout, stderr } = await plan(`recipient_company_id = ${name}`);
      expect([stdout.trim().split('\n').length, stderr]).toEqual([
        1,
        expect.stringContaining('to bigfund, never expires'),
      ]);
    }
    for (const name of ['bigfnd', '"nobody"']) {
      const { code, stdout, stderr } = await plan(`recipient_company_id = ${name}`);
      expect([code, stdout, stderr]).toEqual([3, '', expect.stringContaining('has no company')]);
    }
  });
});
