/** A server that writes times with other offsets, digits and separators: what is said of them stays the same. */
import { expect, it } from 'vitest';
import type { Transport } from '../../src/core/wire.ts';
import { freshApi, type RunOptions, run } from '../helpers/run.ts';
import { sqlEngine } from '../helpers/sql-engine.ts';

/** Forms of ISO 8601 that databases and languages write. */
const forms: readonly ((time: Date) => string)[] = [
  (time) => time.toISOString(),
  (time) => `${local(time, -8).slice(0, 19).replace('T', ' ')}-08`,
  (time) => `${local(time, 9)}+09:00`,
  (time) => `${local(time, 5.5).slice(0, 19).replaceAll(/[-:]/g, '')}+0530`,
  (time) => `${local(time, 0).slice(0, 16)}Z`,
];

function local(time: Date, hours: number): string {
  return new Date(time.getTime() + hours * 3_600_000).toISOString().slice(0, -1);
}

const api = await freshApi();

const varied: Transport = async (request) => {
  const answer = await api.transport(request);
  let count = 0;
  const text = Buffer.from(answer.body)
    .toString()
    .replaceAll(/"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"/g, (_, written: string) => {
      const time = new Date(written);
      count += 1;
      // Hours and minutes only where nothing is lost.
      const form = forms[time.getTime() % 60_000 === 0 ? count % 5 : count % 3] ?? forms[0];
      return `"${form?.(time)}"`;
    });
  return { ...answer, body: Buffer.from(text) };
};

it.each([
  ['sql', 'select max(created_at), min(updated_at), count(distinct created_at) from deal_pipeline'],
  ['sql', "select title from deal_pipeline where created_at < '2024-01-03T05:00' order by updated_at, title"],
  ['sql', "select strftime('%Y-%m', created_at) as month, count(*) from deal_pipeline group by 1"],
  ['sql', 'select metric_id, max(updated_at) from metric_points group by 1'],
  ['sql', 'select id, expires_at, revoked_at from grants order by created_at, id'],
  ['grants', 'audit', '--within', '90d'],
  ['metrics', 'gaps', '--stale-after', '1'],
  ['entries', 'count', 'deal-pipeline', '--by', 'created_at:day'],
])('%s %s', async (...argv) => {
  const options: RunOptions = { sqlEngine: await sqlEngine() };
  const usual = await run([...argv, '-o', 'csv'], { ...options, transport: api });
  const other = await run([...argv, '-o', 'csv'], { ...options, transport: varied });
  expect({ code: other.code, stdout: other.stdout }).toEqual({ code: 0, stdout: usual.stdout });
  expect(usual.stdout.trim()).toContain('\n');
});

it('grants audit names a day in UTC', async () => {
  const late = { expires_at: '2026-03-01T23:30:00-05:00', status: 'active' };
  const grants = { grants: [{ id: '00000000-0000-4000-8000-000000000001', ...late }] };
  const transport: Transport = async (request) =>
    request.url.includes('/metrics/grants')
      ? { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(grants)) }
      : api.transport(request);
  const audit = await run(['grants', 'audit', '-o', 'csv'], { transport });
  expect(audit.stdout).toContain('active, and expired 2026-03-02');
});
