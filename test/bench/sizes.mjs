// The largest memory of commands whose data grows: over HTTP exports to every format and in every shape, imports into an
// empty list and over a full one; and the loading of points of every format into a database.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { memory, scratch } from './measure.mjs';

const formats = ['csv', 'tsv', 'json', 'ndjson', 'yaml', 'md', 'xlsx', 'parquet'];
const full = '22222222-2222-4222-8222-000000000001';
const empty = '22222222-2222-4222-8222-000000000002';
const hundred = Array.from({ length: 100 }, (_, n) => `metric_${n}`).join(',');

/** MiB that an export may take, and what an import or a load may. */
const exported = 150;
const imported = 200;

const count = (number) => number.toLocaleString('en');
const out = (name) => ['--out', join(scratch, name)];

/** @param comem the argv of a command. @param rows entries of the list, and rows of the files */
export async function sizes(row, { comem, env, rows = 200_000, points = 1_000_000 }) {
  const server = spawn(process.execPath, [fileURLToPath(new URL('server.mjs', import.meta.url)), String(rows)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [port] = await once(server.stdout, 'data');
    const url = `http://127.0.0.1:${String(port).trim()}`;
    const served = { ...env, COMEM_BASE_URL: url };
    const show = (what, argv, most) => row(what, memory({ argv, env: served }), 'MiB', most);

    const entries = comem('entries', 'list', full);
    for (const format of formats) {
      show(`${count(rows)} entries to ${format}`, [...entries, '-o', format, ...out(`entries.${format}`)], exported);
    }
    const range = ['--from', '1200-01', '--to', '2033-04', '-m', hundred];
    const long = comem('metrics', 'series', '--shape', 'long', ...range);
    for (const format of formats) {
      show(`1,000,000 observations to ${format}`, [...long, '-o', format, ...out(`long.${format}`)], exported);
    }
    const series = comem('metrics', 'series', ...range, ...out('shape.csv'));
    show('1,000,000 values in windows, wide', series, exported);
    show('1,000,000 values in windows, filled', [...series, '--fill', 'prev'], exported);

    const rates = join(scratch, 'rates.csv');
    writeFileSync(rates, ratesFile());
    const half = ['--from', '1617-01', '--to', '2033-04', '-m', hundred];
    const two = ['-c', '11111111-1111-4111-8111-111111111111', '-c', '11111111-1111-4111-8111-111111111112'];
    const computed = [
      ['computed', 'series', ...range, '--calc', 'x = metric_1 / prev(metric_2)'],
      ['converted', 'series', ...range, '--in', 'EUR', '--rates', rates],
      ['of two companies, added up', 'series', ...two, ...half, '--total'],
      ['growing', 'growth', ...range],
      ['compared', 'variance', ...half],
      ['in a table', 'table', ...range],
      ['with gaps', 'gaps', ...range],
    ];
    for (const [what, ...words] of computed) {
      show(`1,000,000 values, ${what}`, comem('metrics', ...words, ...out('computed.csv')), exported);
    }

    for (const [format, text] of Object.entries(files(rows))) {
      const file = join(scratch, `rows.${format}`);
      writeFileSync(file, text());
      const argv = (list) => comem('entries', 'import', list, file, '--yes', '--concurrency', '8');
      show(`import of ${count(rows)} rows of ${format}`, argv(empty), imported);
      if (format === 'csv') show('the same, over a list with as many entries', argv(full), imported);
    }
    const book = join(scratch, 'rows.xlsx');
    memory({ argv: [...entries, '--fields', 'title,stage,amount,closed', '--out', book], env: served });
    const argv = (list) => comem('entries', 'import', list, book, '--key', 'title', '--yes', '--concurrency', '8');
    show(`import of ${count(rows)} rows of xlsx`, argv(empty), imported);
    show('the same, over the same entries', argv(full), imported);
  } finally {
    server.kill();
  }
  for (const format of ['csv', 'ndjson']) {
    const rows = points;
    const file = await pointsFile(join(scratch, `points.${format}`), rows, format);
    const argv = comem('server', 'load', file, '--data-dir', join(scratch, `points-${format}`));
    row(`server load of ${count(rows)} points of ${format}`, memory({ argv }), 'MiB', imported);
  }
}

/** A rate for each month of eight hundred years. */
function ratesFile() {
  const months = Array.from({ length: 834 * 12 }, (_, n) => {
    return `${1200 + Math.floor(n / 12)}-${String((n % 12) + 1).padStart(2, '0')}-28,USD,1.1`;
  });
  return ['date,currency,rate', ...months].join('\n');
}

/** Rows that change the entries of the full list. */
function files(rows) {
  const numbers = Array.from({ length: rows }, (_, n) => n);
  const cells = (n) => [`Entry ${n}`, 'Won', n * 1.5 + 1, '2026-02-01'];
  const head = ['title', 'stage', 'amount', 'closed'];
  const objects = () =>
    numbers.map((n) => JSON.stringify(Object.fromEntries(cells(n).map((cell, at) => [head[at], cell]))));
  return {
    csv: () => [head, ...numbers.map(cells)].map((line) => line.join(',')).join('\n'),
    tsv: () => [head, ...numbers.map(cells)].map((line) => line.join('\t')).join('\n'),
    json: () => `[${objects().join(',\n')}]`,
    ndjson: () => objects().join('\n'),
  };
}

/** The beginning of a file of points, and its lines for a month. */
const pointForms = {
  csv: {
    open: (names) => `period,${names.join(',')}\n`,
    group: (period, pairs) => `${period},${pairs.map(([, value]) => value).join(',')}\n`,
  },
  ndjson: {
    open: () => '{"companies":[{"slug":"acme","name":"Acme"}]}\n',
    group: (period, pairs) =>
      `${JSON.stringify({ points: [{ company: 'acme', period, metrics: Object.fromEntries(pairs) }] })}\n`,
  },
};

/** A file of 500 metrics. */
async function pointsFile(file, points, format) {
  const names = Array.from({ length: 500 }, (_, n) => `m${n}`);
  const { open, group } = pointForms[format];
  const target = createWriteStream(file);
  target.write(open(names));
  for (let month = 0; month < points / names.length; month += 1) {
    const period = `${1000 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;
    const pairs = names.map((name, n) => [name, n * 1.5 + month]);
    if (!target.write(group(period, pairs))) await once(target, 'drain');
  }
  target.end();
  await once(target, 'finish');
  return file;
}
