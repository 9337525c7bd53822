/** Every value that the API gives is in the output: random servers, every shape, every format that can be read back. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { readCsv } from '../../../src/core/csv.ts';
import type { Transport } from '../../../src/core/wire.ts';
import { readYaml } from '../../../src/core/yaml.ts';
import { savedSeries } from '../../../src/domain/analysis/saved.ts';
import { readParquet } from '../../helpers/parquet.ts';
import { run } from '../../helpers/run.ts';
import { readWorkbook } from '../../helpers/workbook.ts';

const folder = mkdtempSync(join(tmpdir(), 'comem-values-'));
afterAll(() => rmSync(folder, { recursive: true }));

const company = '00000000-0000-4000-8000-000000000001';
const metrics = ['mrr', 'arr', 'burn', 'made_up', 'constructor'];
const versions = ['actual', 'budget'] as const;

interface Point {
  period: number;
  version: (typeof versions)[number];
  metric: string;
  value: number | null;
}

interface Server {
  points: Point[];
  /** Which metrics the catalog lists. */
  listed: string[];
  halves: 'both' | 'items' | 'observations' | 'empty observations' | 'empty items';
  /** Whether optional fields are there. */
  optional: boolean;
  /** Cuts of rows into parts and of parts into pages, used in turn. */
  cuts: number[];
}

const point = fc.record({
  period: fc.integer({ min: 0, max: 8 }),
  version: fc.constantFrom(...versions),
  metric: fc.constantFrom(...metrics),
  value: fc.option(fc.integer({ min: -1000, max: 1000 })),
});
const server: fc.Arbitrary<Server> = fc.record({
  points: fc.uniqueArray(point, {
    minLength: 1,
    maxLength: 40,
    selector: (p) => `${p.period} ${p.version} ${p.metric}`,
  }),
  listed: fc.subarray(metrics),
  halves: fc.constantFrom('both', 'items', 'observations', 'empty observations', 'empty items'),
  optional: fc.boolean(),
  cuts: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 8 }),
});

const keyOf = (period: number) => `2024-0${period + 1}`;

/** The array in pieces, their sizes taken in turn. */
function cut<T>(all: readonly T[], sizes: readonly number[]): T[][] {
  const pieces: T[][] = [];
  for (let at = 0, turn = 0; at < all.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    pieces.push(all.slice(at, at + size));
    at += size;
  }
  return pieces;
}

function answering({ points, listed, halves, optional, cuts }: Server): Transport {
  const rest = optional ? { source: 'erp', updatedAt: '2024-12-01T00:00:00Z' } : {};
  const parts = Array.from({ length: 9 }, (_, step) => 8 - step).flatMap((period) =>
    versions.flatMap((version) =>
      cut(
        points.filter((each) => each.period === period && each.version === version),
        cuts,
      ),
    ),
  );
  const pages = cut(parts, [...cuts].reverse());
  const place = ({ period, version }: Point) => ({ periodKey: keyOf(period), periodType: 'month', version });
  const itemOf = (part: Point[]) => ({
    ...place(part[0] as Point),
    metrics: Object.fromEntries(part.map(({ metric, value }) => [metric, value])),
    ...rest,
  });
  const bodyOf = (page: Point[][], next: number | undefined) => ({
    companyId: company,
    currency: 'USD',
    ...(halves === 'observations' ? {} : { items: halves === 'empty items' ? [] : page.map(itemOf) }),
    ...(halves === 'items'
      ? {}
      : {
          observations:
            halves === 'empty observations'
              ? []
              : page.flat().map((each) => ({
                  ...{
                    metricId: each.metric,
                    value: each.value,
                    ...place(each),
                    sourceBoundary: 'company_internal',
                    ...rest,
                  },
                })),
        }),
    truncated: next !== undefined,
    ...(next === undefined ? {} : { nextCursor: String(next) }),
  });
  const catalog = {
    ...{ companyId: company, currency: 'USD', sourceBoundary: 'company_internal' },
    definitions: listed.map((metricId) => ({ metricId, label: metricId, custom: false, archived: false })),
  };
  return async ({ url }) => {
    const { pathname, searchParams } = new URL(url);
    const at = Number(searchParams.get('cursor') ?? 0);
    const body = pathname.endsWith('catalog')
      ? catalog
      : bodyOf(pages[at] ?? [], at + 1 < pages.length ? at + 1 : undefined);
    return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(body)) };
  };
}

/** Formats that are files. */
const files: Record<string, (bytes: Buffer) => Promise<unknown>> = {
  xlsx: async (bytes) => {
    const [header = [], ...rows] = readWorkbook(bytes).rows;
    const textOf = (row: typeof header) => header.map((_, at) => row[at]?.text ?? '');
    return { header: textOf(header), rows: rows.map(textOf) };
  },
  parquet: async (bytes) => {
    const { rows, types } = await readParquet(bytes);
    const header = Object.keys(types);
    const textOf = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value ?? ''));
    return { header, rows: rows.map((row) => header.map((name) => textOf(row[name]))) };
  },
};

const formats: Record<string, (text: string) => Promise<unknown>> = {
  json: async (text) => JSON.parse(text),
  ndjson: async (text) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  yaml: async (text) => (await readYaml(text, 'stdout')).value,
  csv: table,
  tsv: table,
};

async function table(text: string) {
  const [header, ...rows] = await readCsv(text, { name: 'stdout' });
  return { header: header?.cells ?? [], rows: rows.map(({ cells }) => cells) };
}

const shapes = {
  wide: [],
  long: ['--shape', 'long'],
  filled: ['--fill', 'null'],
};

const cases = Object.keys(shapes).flatMap((shape) =>
  [...Object.keys(formats), ...Object.keys(files)].map((format) => [shape, format] as const),
);

it.each(cases)('%s rows as %s hold every value', async (shape, format) => {
  await fc.assert(
    fc.asyncProperty(server, async (drawn) => {
      const file = join(folder, `series.${format}`);
      const argv = [
        'metrics',
        'series',
        '--versions',
        'actual,budget',
        ...shapes[shape as keyof typeof shapes],
        ...(format in files ? ['--out', file] : ['-o', format]),
      ];
      const env = { COMEM_COMPANY_ID: company, COMEM_API_KEY: 'cmk_0123456789', COMEM_BASE_URL: 'https://a.example' };
      const { stdout, stderr, code } = await run(argv, {
        env,
        transport: answering(drawn),
        now: '2025-01-15T00:00:00Z',
      });
      if (code === 6 && !['json', 'ndjson', 'yaml'].includes(format)) {
        // Columns are fixed before the first row; a later metric ends the run, and nothing passes for complete.
        expect(stderr).toContain('has no column');
        return;
      }
      expect([code, stderr]).toEqual([0, '']);
      const saved = format in files ? await files[format]?.(readFileSync(file)) : await formats[format]?.(stdout);
      const found = savedSeries(saved);
      const wanted =
        found.tellsNull && shape !== 'filled' ? drawn.points : drawn.points.filter(({ value }) => value !== null);
      const given = found.values.filter(({ value }) => value !== null || (found.tellsNull && shape !== 'filled'));
      expect(given.map((each) => `${each.periodKey} ${each.version} ${each.metricId} ${each.value}`).sort()).toEqual(
        wanted.map((each) => `${keyOf(each.period)} ${each.version} ${each.metric} ${each.value}`).sort(),
      );
    }),
    { numRuns: format in files ? 8 : 25 },
  );
});

it('of two values of one metric keeps the one that was written later, and says so once', async () => {
  const row = (value: number, day: number) => ({
    ...{ periodKey: '2024-05', periodType: 'month', version: 'actual', source: `s${day}` },
    ...{ metrics: { mrr: value }, updatedAt: `2024-06-0${day}T00:00:00Z` },
  });
  const body = { companyId: company, currency: 'USD', items: [row(1, 2), row(2, 1), row(3, 1)], truncated: false };
  const transport: Transport = async ({ url }) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(url.includes('catalog') ? { ...body, definitions: [] } : body)),
  });
  const env = { COMEM_COMPANY_ID: company, COMEM_API_KEY: 'cmk_0123456789', COMEM_BASE_URL: 'https://a.example' };
  for (const shape of ['wide', 'long']) {
    const { stdout, stderr } = await run(
      ['metrics', 'series', '--shape', shape, '-o', 'csv', '--fields', shape === 'wide' ? 'mrr' : 'value'],
      { env, transport },
    );
    expect(stdout.split('\n').slice(1)).toEqual(['1', '']);
    expect(stderr.match(/different values/g)).toHaveLength(1);
    expect(stderr).toContain('the actual of mrr in 2024-05');
  }
});
