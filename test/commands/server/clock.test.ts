/** One folder has one clock: commands on `embedded:DIR` go by that of its data from their start, as clients of a server do. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Serving, serve } from '../../../src/server/serve.ts';
import { run } from '../../helpers/run.ts';
import { sqlEngine } from '../../helpers/sql-engine.ts';

const company = '11111111-1111-4111-8111-111111111111';

/** Data around a day: what is due, missing, expiring or running depends on the time. */
const seedOf = (clock: string) => {
  const at = (days: number) => new Date(Date.parse(clock) + days * 86_400_000).toISOString();
  const months = [-100, -70, -40, 0, 40].map((days) => at(days).slice(0, 7));
  return JSON.stringify({
    clock,
    companies: [
      { slug: 'us', name: 'Us', id: company },
      { slug: 'them', name: 'Them' },
    ],
    users: [{ email: 'a@us.example', companies: ['us', 'them'] }],
    catalog: [{ company: 'us', metricId: 'cash', label: 'Cash', unit: 'currency', aggregation: 'last' }],
    points: [...new Set(months)].map((period, index) => ({ company: 'us', period, metrics: { cash: 100 + index } })),
    lists: [
      {
        company: 'us',
        name: 'Tasks',
        attributes: [{ name: 'Due', attribute_type: 'date' }],
        entries: [-3, 2, 400].map((days) => ({ title: `in ${days}`, values: { due: at(days).slice(0, 10) } })),
      },
    ],
    grants: [{ company: 'us', granted_by: 'a@us.example', recipient_company: 'them', expires_at: at(20) }],
  });
};

const commands = [
  ['metrics', 'series', '--last', '2', '-o', 'csv'],
  ['metrics', 'table', '--last', '3', '--include-current', '-o', 'csv'],
  ['metrics', 'gaps', '--last', '6', '-o', 'csv'],
  ['entries', 'list', 'tasks', '--where', 'due >= today and due <= today + 30d', '--fields', 'title', '-o', 'csv'],
  ['entries', 'list', 'tasks', '--changed-since', '2d', '--fields', 'title', '-o', 'csv'],
  ['grants', 'expiring', '--within', '30d', '--fields', 'status', '-o', 'csv'],
  ['check', 'entries', 'tasks', '--expect', 'due <= today + 5d', '-o', 'md'],
  ['sql', "select title from tasks where due < date('now') order by title", '-o', 'csv'],
];

describe.each(['2024-02-10T09:00:00.000Z', '2031-07-05T23:30:00.000Z'])('data of %s', (clock) => {
  const home = mkdtempSync(join(tmpdir(), 'comem-clock-'));
  const folder = join(home, 'data');
  const embedded = { COMEM_BASE_URL: `embedded:${folder}`, COMEM_COMPANY_ID: company };
  let server: Serving;
  /** The clock of the machine is another one: that of the helper. */
  const at = async (env: Record<string, string | undefined>, argv: readonly string[]) =>
    run(argv, { network: true, home, sqlEngine: await sqlEngine(), env: { COMEM_NOW: undefined, ...env } });

  beforeAll(async () => {
    writeFileSync(join(home, 'seed.json'), seedOf(clock));
    const load = await at(embedded, ['server', 'load', join(home, 'seed.json'), '--data-dir', folder]);
    expect(load).toMatchObject({ code: 0, stderr: '' });
    server = await serve({ database: { dataDir: folder }, host: '127.0.0.1', port: 0, seed: 'none' });
  });
  afterAll(async () => {
    await server.close();
    rmSync(home, { recursive: true });
  });

  it.each(commands)('%s %s is the same in process and from a server', async (...argv) => {
    const served = await at({ ...server.environment, COMEM_COMPANY_ID: company }, argv);
    const here = await at(embedded, argv);
    expect({ code: here.code, stdout: here.stdout, stderr: here.stderr }).toEqual({
      code: served.code,
      stdout: served.stdout,
      stderr: served.stderr,
    });
    expect(here.stderr).not.toContain('clock');
  });

  it('COMEM_NOW overrides it', async () => {
    const { stdout } = await at({ ...embedded, COMEM_NOW: clock.replace(/^\d+/, '2028') }, [
      ...['entries', 'list', 'tasks', '--where', 'due < today', '-o', 'json', '--jq', 'length'],
    ]);
    expect(stdout.trim()).toBe(clock < '2028' ? '3' : '0');
  });

  it('what is written is of that time, and what expires counts from it', async () => {
    const list = await at(embedded, ['lists', 'create', 'Later', '-o', 'json', '--yes']);
    expect(JSON.parse(list.stdout).created_at).toBe(clock);
    const grant = await at(embedded, [
      'grants',
      'create',
      '--recipient-user',
      company,
      '-m',
      'cash',
      '--expires',
      '30d',
      '--dry-run',
    ]);
    expect(`${grant.stdout}${grant.stderr}`).toContain(
      new Date(Date.parse(clock) + 30 * 86_400_000).toISOString().slice(0, 10),
    );
    const [loaded] = JSON.parse((await at(embedded, ['entries', 'list', 'tasks', '-o', 'json'])).stdout);
    expect(loaded.created_at).toBe(clock);
  });

  it('keys of the folder expire by it', async () => {
    const argv = [
      'server',
      'keys',
      'create',
      '--data-dir',
      folder,
      '-c',
      'Us',
      '--name',
      'k',
      '--expires',
      '30d',
      '-o',
      'json',
    ];
    const key = JSON.parse((await at({}, argv)).stdout);
    expect(key.expires_at ?? key.expiresAt).toBe(new Date(Date.parse(clock) + 30 * 86_400_000).toISOString());
    const keys = await at({}, ['server', 'keys', 'list', '--data-dir', folder, '-o', 'json']);
    expect(JSON.parse(keys.stdout).map(({ status }: { status: string }) => status)).toEqual(['active']);
  });

  it('mirrors of both are of that time, and ages are relative to it', async () => {
    for (const [name, env] of [
      ['one', embedded],
      ['two', { ...server.environment, COMEM_COMPANY_ID: company }],
    ] as const) {
      const mirror = join(home, name);
      const sync = await at(env, ['mirror', 'sync', '--mirror', mirror, '--quiet']);
      expect([sync.code, sync.stderr]).toEqual([0, '']);
      const past = await at(env, [
        'entries',
        'list',
        'tasks',
        '--offline',
        '--mirror',
        mirror,
        '--where',
        'due < today',
        '--fields',
        'title',
        '-o',
        'csv',
      ]);
      expect([past.code, past.stdout]).toEqual([0, 'title\nin -3\n']);
      expect(past.stderr).toContain(`As of the sync of ${clock.slice(0, 16).replace('T', ' ')}`);
    }
  });
});
