/** What has ended, and what `today` is, by the clock of the server: a wrong clock here must not end a grant there. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transport } from '../../src/core/wire.ts';
import { ids, metricsWorld, type World } from '../helpers/metrics-world.ts';

let world: World;
const cwd = mkdtempSync(join(tmpdir(), 'comem-clock-'));
beforeAll(async () => {
  world = await metricsWorld();
  writeFileSync(join(cwd, 'c.yaml'), 'version: 1\nchecks:\n  - grants: all\n    expect: [none_expired_active]\n');
});
afterAll(async () => {
  await world.close();
  rmSync(cwd, { recursive: true });
});

/** The API of a day, all of whose grants are active until 2024-01-01. */
const on =
  (day: string): Transport =>
  async (request) => {
    const answer = await world.transport(request);
    const headers = { ...answer.headers, date: new Date(day).toUTCString() };
    if (!request.url.includes('/api/metrics/grants?') || answer.status !== 200) return { ...answer, headers };
    const body = JSON.parse(Buffer.from(answer.body).toString());
    const grants: object[] = Array.isArray(body) ? body : body.grants;
    const created_at = '2023-01-01T00:00:00Z';
    const changed = grants.map((grant) => ({
      ...grant,
      status: 'active',
      revoked_at: null,
      created_at,
      updated_at: created_at,
      expires_at: '2024-01-01T00:00:00Z',
    }));
    return {
      ...answer,
      headers,
      body: Buffer.from(JSON.stringify(Array.isArray(body) ? changed : { ...body, grants: changed })),
    };
  };

const lines = (stdout: string) => stdout.split('\n').filter((line) => line !== '');
const rows = ['-o', 'id'];

describe('the clock of the server decides', () => {
  const run = (argv: readonly string[], day: string) =>
    world.run(argv, { cwd, env: { COMEM_NOW: undefined }, transport: on(day) });

  it.each([
    ['grants', 'list', '--expired', ...rows],
    ['grants', 'list', '--where', 'expires_at < today', ...rows],
    ['grants', 'list', '--where', 'expires_at < now', ...rows],
    ['grants', 'revoke', '--expired', '--dry-run', '--jq', '.[].url'],
    ['grants', 'revoke', '--where', 'expires_at < today', '--dry-run', '--jq', '.[].url'],
    ['grants', 'revoke', '--expired', '--older-than', '90d', '--dry-run', '--jq', '.[].url'],
    ['grants', 'revoke', '--older-than', '1y', '--dry-run', '--jq', '.[].url'],
    ['grants', 'audit', '--where', 'rule = expired_active', ...rows],
  ])('%s %s %s %s: all in 2025, none in 2023', async (...argv) => {
    const before = await run(argv, '2023-06-01');
    expect([before.code, lines(before.stdout)]).toEqual([0, []]);
    const after = await run(argv, '2025-06-01');
    expect([after.code, lines(after.stdout).length]).toEqual([0, 4]);
    expect(after.stderr).toContain('the clock of the server says 2025-06-01');
  });

  it.each([
    ['grants', 'expiring', '--within', '60d', ...rows],
    ['grants', 'audit', '--where', 'rule = expiring', '--within', '60d', ...rows],
    ['grants', 'list', '--changed-since', '365d', ...rows],
  ])('%s %s %s %s: all in December 2023, none in 2025', async (...argv) => {
    expect(lines((await run(argv, '2023-12-15')).stdout)).toHaveLength(4);
    expect(lines((await run(argv, '2025-06-01')).stdout)).toEqual([]);
  });

  it('also of a check', async () => {
    const argv = ['check', '-f', 'c.yaml'];
    expect([(await run(argv, '2023-06-01')).code, (await run(argv, '2025-06-01')).code]).toEqual([0, 1]);
  });

  it('also of what a grant is given', async () => {
    const argv = ['grants', 'create', '--recipient-company', ids.other, '-m', 'mrr', '--expires', '1y', '--dry-run'];
    const { stdout, requests } = await run([...argv, '--jq', '.[].body.expires_at'], '2023-06-01');
    expect(requests.map(({ path }) => path)).toEqual(['/api/metrics/catalog']);
    expect(stdout.slice(0, 10)).toBe('2024-06-01');
  });

  it('also where nothing else of the grant has to be looked up', async () => {
    const argv = ['grants', 'create', '--recipient-company', ids.other, '--all-metrics', '--dry-run'];
    const ends = ['--jq', '.[].body.expires_at'];
    const fromNow = await run([...argv, '--expires', '1y', ...ends], '2023-06-01');
    expect(fromNow.stdout.slice(0, 10)).toBe('2024-06-01');
    const onDay = await run([...argv, '--expires', '2024-06-01', ...ends], '2023-06-01');
    expect([onDay.stdout.slice(0, 10), onDay.requests]).toEqual(['2024-06-01', []]);
  });

  it('also in --sort', async () => {
    const months: Transport = async (request) => {
      const answer = await on('2024-03-15')(request);
      const text = Buffer.from(answer.body).toString();
      let month = 0;
      const body = text.replace(/"created_at":"[^"]*"/g, () => `"created_at":"2023-0${++month}-01T00:00:00Z"`);
      return { ...answer, body: Buffer.from(body) };
    };
    const argv = ['grants', 'list', '--sort', '(created_at < today - 365d):desc,created_at:desc'];
    const { stdout } = await world.run([...argv, '--jq', '.[].created_at'], {
      ...{ cwd, env: { COMEM_NOW: undefined }, transport: months },
    });
    expect(lines(stdout).map((time) => time.slice(5, 7))).toEqual(['03', '02', '01', '04']);
  });
});
