/** Where a failure names the flag that continues: only after rows were printed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Transport } from '../../src/core/wire.ts';
import type { Embedded } from '../../src/server/embedded.ts';
import { temporaryFolder } from '../helpers/cli.ts';
import { freshApi, run } from '../helpers/run.ts';
import { sqlEngine } from '../helpers/sql-engine.ts';

const folder = temporaryFolder();
let api: Embedded;
beforeAll(async () => {
  api = await freshApi();
  writeFileSync(join(folder, 'rows.csv'), 'title\nAlpha\n');
});

/** The second page of entries and the second window of a series fail, and what an import reads. */
const failing: Transport = async (request) => {
  const { pathname, searchParams } = new URL(request.url);
  const isLater = Number(searchParams.get('offset') ?? 0) > 0 || (searchParams.get('fromPeriod') ?? '') >= '2022';
  const isAll = searchParams.get('archived') === 'true';
  if (!(isLater || isAll) || !/entries$|series$/.test(pathname)) return api.transport(request);
  return { status: 500, headers: { 'content-type': 'application/json' }, body: Buffer.from('{"error":"broken"}') };
};

const said = async (words: readonly string[]) => {
  const options = { transport: failing, cwd: folder, sqlEngine: await sqlEngine() };
  const { code, stderr } = await run([...words, '--retries', '0'], options);
  expect([code, stderr]).toEqual([5, expect.stringContaining('broken')]);
  return stderr.includes('continue with');
};

const entries = ['--page-size', '100'];
const series = ['--from', '2018-01', '--to', '2026-02', '-m', 'mrr', '-o', 'csv'];

describe('a failure of a later page', () => {
  it.each([
    ['entries', 'list', 'deal-pipeline', '-o', 'csv', ...entries],
    ['entries', 'list', 'deal-pipeline', '-o', 'csv', '--where', 'valuation > 1M', ...entries],
    ['metrics', 'series', ...series, '--order', 'asc'],
  ])('names the flag: %s %s %s %s %s %s', async (...words) => {
    expect(await said(words)).toBe(true);
  });

  it.each([
    ['entries', 'list', 'deal-pipeline', '-o', 'csv', '--sort', 'title', ...entries],
    ['entries', 'import', 'deal-pipeline', 'rows.csv', '--yes'],
    ['sql', 'select count(*) from deal_pipeline', ...entries],
    ['metrics', 'series', ...series, '--calc', 'x = mrr * 2'],
    ['metrics', 'growth', ...series],
    ['metrics', 'table', ...series],
  ])('names no flag if nothing was printed: %s %s %s %s %s %s', async (...words) => {
    expect(await said(words)).toBe(false);
  });
});
