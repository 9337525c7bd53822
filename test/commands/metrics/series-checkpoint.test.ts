/** An export that is interrupted at every request in turn, and continues without reading or writing a row twice. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transport } from '../../../src/core/wire.ts';
import { ids, instead, metricsWorld, seriesOf, type World, withMetrics } from '../../helpers/metrics-world.ts';

let world: World;
let folder: string;
beforeAll(async () => {
  world = await metricsWorld();
  folder = mkdtempSync(join(tmpdir(), 'comem-checkpoint-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await world.close();
});

const series = (...flags: string[]) => ['metrics', 'series', ...flags];
/** What this process has open, where the system says so. */
function openFiles(): string[] {
  const folder = '/proc/self/fd';
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(join(folder, name))];
    } catch {
      // The folder itself.
      return [];
    }
  });
}

let names = 0;
const fresh = () => {
  names += 1;
  return join(folder, `checkpoint-${names}`);
};

/** The API until its series is asked for the `last`th time; then it refuses. Notes the rows that it gave. */
function until(last: number) {
  const given: string[] = [];
  let asked = 0;
  const transport: Transport = async (request) => {
    const url = new URL(request.url);
    if (url.pathname !== '/api/metrics/series') return withMetrics(world.transport, none)(request);
    asked += 1;
    if (asked >= last) return { status: 400, headers: {}, body: Buffer.from('{"error":"enough","status":400}') };
    const answer = await world.transport(request);
    for (const { periodKey, version, metrics } of JSON.parse(Buffer.from(answer.body).toString()).items) {
      for (const id of Object.keys(metrics))
        given.push([url.searchParams.get('companyId'), periodKey, version, id].join());
    }
    return answer;
  };
  return { transport, given };
}

const none = Array.from({ length: 70 }, (_, index) => `none${index}`);
const many = ['mrr', ...none, 'headcount'].join(',');
const all = ['--versions', 'actual,budget,forecast'];
const filling = ['--from', '2017', '--to', '2024-09', '--fill', 'prev'];
const smallPages = ['--page-size', '13', '--order', 'asc'];
const exports: [string, string[]][] = [
  ['windows, upwards', ['-m', 'mrr,big', '--from', '2000', '--to', '2024-06', '--order', 'asc', ...all]],
  ['windows, downwards', ['-m', 'mrr', '--from', '2000', '--to', '2024-06']],
  ['pages of an open range', ['-m', 'mrr,headcount', '--page-size', '13', ...all]],
  ['long rows', ['--shape', 'long', '--from', '2018', '--to', '2024-06', '--page-size', '20', ...all]],
  ['chunks of many metrics', ['-m', many, '--from', '2018', '--to', '2024-06', '--page-size', '30']],
  ['chunks of an open range', ['-m', many, '--page-size', '30', '--order', 'asc']],
  ['two companies', ['-m', 'mrr', '-c', ids.company, '-c', ids.other, '--from', '2018', '--to', '2024-06']],
  ['derived quarters', ['-m', 'mrr', '--from', '2017', '--to', '2024', '--derive', 'quarter', '--order', 'asc']],
  ['filled rows', ['-m', 'mrr,big', '--from', '2017', '--to', '2024', '--fill', 'null', '--page-size', '40']],
  ['versions side by side', ['-m', 'mrr,big', '--shape', 'versions', '--from', '2016', '--to', '2024']],
  ['a limit', ['-m', 'mrr', '--page-size', '20', '--limit', '55']],
  ['the value before', ['-m', 'mrr,headcount', ...filling, '--page-size', '13', '--order', 'asc', ...all]],
  ['the value before, downwards', ['-m', 'mrr,headcount', ...filling, '--page-size', '40']],
  ['the value before of long rows', ['-m', 'headcount,mrr', ...filling, ...smallPages, '--shape', 'long']],
  ['the value before of quarters', ['-m', 'headcount', ...filling, ...smallPages, '--derive', 'quarter']],
  [
    'the value before of two companies',
    ['-m', 'mrr,headcount', ...filling, '-c', ids.company, '-c', ids.other, '--order', 'asc', '--shape', 'versions'],
  ],
  ['units in headers and dates', ['-m', 'mrr', '--from', '2012', '--to', '2024-06', '--header-units', '--dates']],
];
const forms = (flags: readonly string[]) => (flags.includes('--dates') ? ['csv', 'md'] : ['csv', 'ndjson', 'json']);
const cases = [
  ...exports.flatMap(([name, flags]) => forms(flags).map((format) => [name, format, flags] as const)),
  ...['tsv', 'yaml', 'md'].map((format) => ['pages', format, ['-m', 'mrr,big', '--page-size', '25', ...all]] as const),
];

describe('continues wherever it was interrupted', () => {
  it.each(cases)('%s, as %s', async (name, format, flags) => {
    const whole = until(Number.POSITIVE_INFINITY);
    const argv = series(...flags, '-o', format);
    const expected = await world.run(argv, { transport: whole.transport });
    expect(expected.code).toBe(0);
    const requests = expected.requests.filter(({ path }) => path === '/api/metrics/series').length;
    let goneOn = 0;
    for (let last = 1; last <= requests; last += 1) {
      const file = fresh();
      const again = [...argv, '--checkpoint', file];
      const cut = until(last);
      const first = await world.run(again, { transport: cut.transport });
      expect(first.code).toBe(6);
      expect(expected.stdout.startsWith(first.stdout)).toBe(true);
      const rest = until(Number.POSITIVE_INFINITY);
      const second = await world.run(again, { transport: rest.transport });
      expect(second.code).toBe(0);
      expect(first.stdout + second.stdout).toBe(expected.stdout);
      expect(existsSync(file)).toBe(false);
      if (first.stdout === '') continue;
      goneOn += 1;
      // Nothing that was written is read again.
      const periods = new Set(first.stdout.match(/\b20\d\d-(?:\d\d|Q\d)(?="?(?:,|\t|$)| \|)/gm));
      expect(periods.size).toBeGreaterThan(0);
      if (!flags.includes('--derive') && !flags.includes('-c')) {
        expect(rest.given.filter((row) => periods.has(row.split(',')[1] ?? ''))).toEqual([]);
      }
    }
    // Downwards nothing is written before the oldest value is known.
    if (name !== 'the value before, downwards') expect(goneOn).toBeGreaterThan(0);
  });
});

describe('a file for each company', () => {
  const companies = ['-c', ids.company, '-c', ids.other, '-c', ids.investor];
  const flags = [...companies, '-m', 'mrr', '--from', '2012', '--to', '2024-06', '--order', 'asc'];

  /** Every file of the folder, by name. */
  const filesOf = (place: string) =>
    Object.fromEntries(readdirSync(place).map((name) => [name, readFileSync(join(place, name), 'utf8')]));

  it.each(['csv', 'json'])('goes on with each, and leaves alone what is whole, as %s', async (format) => {
    const place = mkdtempSync(join(folder, 'whole-'));
    const argv = (out: string) => series(...flags, '--out', join(out, `{company}.${format}`));
    const whole = await world.run(argv(place));
    expect(whole.code).toBe(0);
    const requests = whole.requests.filter(({ path }) => path === '/api/metrics/series').length;
    expect(requests).toBe(9);
    let goneOn = 0;
    for (let last = 1; last <= requests; last += 1) {
      const part = mkdtempSync(join(folder, 'part-'));
      const again = [...argv(part), '--checkpoint', join(folder, `files-${format}-${last}`)];
      const first = await world.run(again, { transport: until(last).transport });
      expect(first.code).toBeGreaterThan(0);
      if (readdirSync(part).length > 0) {
        expect(first.stderr).toContain('The same command resumes from here');
        goneOn += 1;
      }
      expect(first.stderr).not.toContain('--from');
      const done = Object.keys(filesOf(part)).filter((name) => !name.endsWith('.partial'));
      const second = await world.run(again);
      expect([second.code, second.stdout]).toEqual([0, '']);
      expect(filesOf(part)).toEqual(filesOf(place));
      const asked = new Set(
        seriesOf(second).map(({ query }) => `${new URLSearchParams(query).get('companyId')}.${format}`),
      );
      expect(done.filter((name) => asked.has(name))).toEqual([]);
      expect(existsSync(join(folder, `files-${format}-${last}`))).toBe(false);
    }
    expect(goneOn).toBeGreaterThan(0);
  });

  it('continues with those that failed, and writes again what is gone', async () => {
    const place = mkdtempSync(join(folder, 'some-'));
    const file = fresh();
    const argv = series(...flags, '--out', join(place, '{company}.csv'), '--checkpoint', file);
    const refusing = instead(world.transport, (_, url) =>
      url.searchParams.get('companyId') === ids.other &&
      url.pathname.endsWith('/series') &&
      url.searchParams.get('fromPeriod')?.startsWith('2017')
        ? { status: 403, body: { error: 'not yours', status: 403 } }
        : undefined,
    );
    const first = await world.run(argv, { transport: refusing });
    expect(first.code).toBe(7);
    expect(readdirSync(place).sort()).toEqual([`${ids.company}.csv`, `${ids.investor}.csv`].sort());
    rmSync(join(place, `${ids.investor}.csv`));
    const second = await world.run(argv);
    expect(second.code).toBe(0);
    expect(readdirSync(place).sort()).toEqual([ids.company, ids.other, ids.investor].map((id) => `${id}.csv`).sort());
    expect(second.stdout + second.stderr).not.toContain(ids.company);
  });
});

describe('with --out', () => {
  it('keeps the part beside its place, and moves it there when it is complete', async () => {
    const flags = ['-m', 'mrr', '--from', '2010', '--to', '2024-06', '--order', 'asc'];
    const expected = await world.run(series(...flags, '-o', 'csv'));
    for (let last = 1; last <= 3; last += 1) {
      const [out, file] = [`${fresh()}.csv`, fresh()];
      const argv = series(...flags, '--out', out, '--checkpoint', file);
      const first = await world.run(argv, { transport: until(last).transport });
      expect([first.code, existsSync(out)]).toEqual([6, false]);
      // What a killed run wrote behind its last checkpoint goes.
      if (existsSync(file)) writeFileSync(`${out}.partial`, `${readFileSync(`${out}.partial`)}2099-01,mon`);
      const second = await world.run(argv);
      expect(second.code).toBe(0);
      expect(readFileSync(out, 'utf8')).toBe(expected.stdout);
      expect([existsSync(`${out}.partial`), existsSync(file)]).toEqual([false, false]);
    }
  });

  it('says what to do when the part is gone', async () => {
    const [out, file] = [`${fresh()}.csv`, fresh()];
    const flags = ['-m', 'mrr', '--from', '2018', '--to', '2024-06', '--order', 'asc', '--checkpoint', file];
    const first = await world.run(series(...flags, '--out', out), { transport: until(2).transport });
    expect(first.stderr).toContain('The same command resumes from here');
    rmSync(`${out}.partial`);
    const second = await world.run(series(...flags, '--out', out));
    expect(second.code).toBe(2);
    expect(second.stderr).toContain('delete the checkpoint');
  });
});

describe('a checkpoint', () => {
  it('is refused for another export, naming the difference', async () => {
    const file = fresh();
    const flags = ['--from', '2018', '--to', '2024-06', '--order', 'asc', '-o', 'csv', '--checkpoint', file];
    await world.run(series('-m', 'mrr', ...flags), { transport: until(2).transport });
    const other = await world.run(series('-m', 'arr', ...flags));
    expect([other.code, other.stdout]).toEqual([2, '']);
    expect(other.stderr).toContain('--metrics was ["mrr"], and is ["arr"]');
    writeFileSync(file, 'my notes');
    const none = await world.run(series('-m', 'mrr', ...flags));
    expect(none.code).toBe(2);
    expect(readFileSync(file, 'utf8')).toBe('my notes');
  });

  it.each([
    [['-o', 'table'], '-o table cannot be appended to'],
    [['--out', 'x.xlsx'], '-o xlsx cannot be appended to'],
    [['-o', 'csv', '--transpose'], '--transpose'],
    [['-o', 'csv', '--cursor', 'x'], '--cursor sets another place'],
    [['--jq', '.'], '--jq'],
  ])('is refused with %j', async (flags, says) => {
    const result = await world.run(series('-m', 'mrr', ...flags, '--checkpoint', fresh()));
    expect([result.code, result.requests]).toEqual([2, []]);
    expect(result.stderr).toContain(says);
  });

  it.each([
    ['/dev/null', 'a device or a pipe'],
    [tmpdir(), 'a folder'],
  ])('does not replace %s', async (out, what) => {
    const { code, stderr } = await world.run(series('-m', 'mrr', '-o', 'csv', '--out', out, '--checkpoint', fresh()));
    expect(code).toBe(2);
    expect(stderr).toContain(`--out ${out} is ${what}, and a checkpoint continues a file`);
    expect([statSync(out).isFile(), existsSync(`${out}.partial`)]).toEqual([false, false]);
  });

  it('of what is complete at once leaves nothing, and an empty result its header', async () => {
    const file = fresh();
    const { stdout, code } = await world.run(
      series('-m', 'mrr', '--from', '1999', '--to', '1999', '-o', 'csv', '--checkpoint', file),
    );
    expect([code, stdout, existsSync(file)]).toEqual([0, 'periodKey,periodType,version,mrr,source,updatedAt\n', false]);
  });
});

describe('a full disk', () => {
  it.each(['checkpoint', 'output'])('under the %s is said, and no place is claimed that is not kept', async (which) => {
    const [checkpoint, out] = [fresh(), fresh()];
    symlinkSync('/dev/full', which === 'checkpoint' ? `${checkpoint}.tmp` : `${out}.partial`);
    const argv = series('-m', 'mrr', '--from', '2018', '--to', '2024', '--checkpoint', checkpoint, '--out', out);
    const { code, stderr } = await world.run([...argv, '-o', 'csv']);
    expect(stderr).toMatch(/cannot be written: (the disk is full|EINVAL)/);
    expect(stderr).not.toContain('bug');
    expect(code).toBe(2);
    expect(stderr.includes('keeps the progress')).toBe(existsSync(checkpoint));
    expect(openFiles()).not.toContain('/dev/full');
  });
});
