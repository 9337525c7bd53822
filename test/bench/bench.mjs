// `npm run bench`: every row of the performance targets, side by side with the tools that people use instead, and the
// table of ratios. `npm run bench -- start get table export ask latency memory import sql mirror` measures some of them; `--rounds N` sets the rounds.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importRates } from './import.mjs';
import { compare, environment, has, memory, scratch } from './measure.mjs';
import { mirror } from './mirror.mjs';
import { sizes } from './sizes.mjs';

const binary = fileURLToPath(new URL('../../bin/comem.js', import.meta.url));
if (!existsSync(fileURLToPath(new URL('../../dist/main.js', import.meta.url)))) {
  console.error('bench: build first with `npm run build`');
  process.exit(2);
}

const arguments_ = process.argv.slice(2);
const roundsAt = arguments_.indexOf('--rounds');
const asked = roundsAt < 0 ? undefined : Number(arguments_.splice(roundsAt, 2)[1]);
const parts =
  arguments_.length > 0
    ? arguments_
    : ['start', 'get', 'table', 'export', 'ask', 'latency', 'memory', 'import', 'sql', 'mirror'];

const node = process.execPath;
const comem = (...words) => [node, binary, ...words];
const shell = (line) => ['bash', '-o', 'pipefail', '-c', line];

/** One line of the table: what, ratio, of what, target. Printed at once: some parts take minutes. */
function row(what, value, unit, target) {
  const measured = `${what.padEnd(60)}  ${value.toFixed(2).padStart(8)} ${unit}`;
  console.log(
    target === undefined ? measured : `${measured.padEnd(105)}  <= ${target}  ${value <= target ? 'met' : 'MISSED'}`,
  );
}

const progress = (part) => (round, rounds) => {
  if (process.stderr.isTTY) process.stderr.write(`\r${part}: round ${Math.max(0, round + 1)} of ${rounds}\r`);
};

async function startUp() {
  const commands = [
    { name: 'N', argv: [node, '-e', '0'] },
    { name: 'comem --version', argv: comem('--version'), target: 1.15 },
    { name: 'comem --help', argv: comem('--help'), target: 2.2 },
    { name: 'comem lists list --help', argv: comem('lists', 'list', '--help'), target: 2.2 },
    { name: 'comem metrics series --help', argv: comem('metrics', 'series', '--help'), target: 2.2 },
    {
      name: 'comem lists list --nope (usage error)',
      argv: comem('lists', 'list', '--nope'),
      target: 2.2,
      expected: 2,
    },
    ...(has('gh')
      ? [
          { name: 'gh --version', argv: ['gh', '--version'] },
          { name: 'gh --help', argv: ['gh', '--help'] },
        ]
      : []),
    ...(has('jq') ? [{ name: 'jq --version', argv: ['jq', '--version'] }] : []),
    ...(has('mlr') ? [{ name: 'mlr --version', argv: ['mlr', '--version'] }] : []),
  ];
  const { ratio } = await compare(commands, { rounds: asked ?? 21, onRound: progress('start-up') });
  for (const { name, target } of commands.slice(1)) row(name, ratio(name, 'N'), 'N', target);
}

async function oneGet({ url, env }) {
  const get = `curl -sf -H 'Cookie: comem-auth-token=x' '${url}/api/lists?companyId=${env.COMEM_COMPANY_ID}'`;
  // From Node 22 on, what was compiled is cached.
  const target = Number.parseInt(process.versions.node, 10) >= 22 ? 4 : 5;
  const commands = [
    { name: 'N', argv: [node, '-e', '0'] },
    { name: 'one GET to a table', argv: comem('lists', 'list', '-o', 'table'), env, target },
    { name: 'one GET to JSON', argv: comem('lists', 'list', '-o', 'json'), env, target },
    { name: 'curl | jq, the same GET', argv: shell(`${get} | jq -r '.[] | [.id, .name] | @tsv'`) },
    ...(has('http') ? [{ name: 'httpie, the same GET', argv: ['http', '--ignore-stdin', `${url}/api/lists`] }] : []),
  ].filter(({ name }) => !name.includes('jq') || has('jq'));
  const { ratio } = await compare(commands, { rounds: asked ?? 21, onRound: progress('one GET') });
  for (const { name, target } of commands.slice(1)) row(name, ratio(name, 'N'), 'N', target);
}

/** A table against the CSV of the same rows. */
async function tables({ env }) {
  const { url, stop } = await serving(100_000);
  try {
    for (const rows of [306, 100_000]) {
      const list = (format) => comem('entries', 'list', listId, '--limit', String(rows), '-o', format);
      const served = { ...env, COMEM_BASE_URL: url };
      const commands = ['table', 'csv'].map((format) => ({ name: format, argv: list(format), env: served }));
      const { ratio } = await compare(commands, { rounds: asked ?? 7, warmups: 1, onRound: progress('tables') });
      row(`${rows.toLocaleString('en')} entries in a table`, ratio('table', 'csv'), 'x the same rows as CSV', 2);
    }
  } finally {
    stop();
  }
}

/** A curl configuration that asks for many addresses over one connection. */
function curlConfig(name, urls) {
  const file = join(scratch, name);
  writeFileSync(file, urls.map((url) => `url = "${url}"\noutput = "/dev/null"\n`).join(''));
  return file;
}

const query = 'periodType=month&versions=actual&metricIds=mrr,arr,headcount&limit=100&order=asc';
const seriesUrls = (base, rows) =>
  Array.from({ length: rows / 100 }, (_, page) => `${base}/api/metrics/series?${query}&cursor=page-${page * 100}`);
const entriesUrls = (base, rows) =>
  Array.from({ length: rows / 500 }, (_, page) => `${base}/api/lists/${listId}/entries?limit=500&offset=${page * 500}`);
const listId = '22222222-2222-4222-8222-000000000001';
const series = comem('metrics', 'series', '-m', 'mrr,arr,headcount', '-o', 'csv');
const entries = comem('entries', 'list', listId, '-o', 'csv');
const summing = comem('entries', 'summarize', listId, '-o', 'csv');

async function exports_({ url, env, rows }) {
  const config = curlConfig('series', seriesUrls(url, rows));
  const toCsv = `.items[] | [.periodKey, .periodType, .version, .metrics.mrr, .metrics.arr, .metrics.headcount, .source, .updatedAt] | @csv`;
  const stdout = curlConfig('series-out', seriesUrls(url, rows)).replace(/$/, '');
  writeFileSync(
    stdout,
    seriesUrls(url, rows)
      .map((one) => `url = "${one}"\n`)
      .join(''),
  );
  const commands = [
    { name: 'curl', argv: ['curl', '-s', '-K', config] },
    { name: 'series', argv: series, env },
    ...(has('jq') ? [{ name: 'jq', argv: shell(`curl -s -K ${stdout} | jq -r '${toCsv}' > /dev/null`) }] : []),
    ...(has('mlr')
      ? [
          {
            name: 'mlr',
            argv: shell(
              `curl -s -K ${stdout} | mlr --ijson --ocsv put -q 'for (i, item in $items) {emit1 mapsum(item, {})}' > /dev/null`,
            ),
          },
        ]
      : []),
  ];
  const { ratio } = await compare(commands, { rounds: asked ?? 5, warmups: 1, onRound: progress('exports') });
  const label = `${rows.toLocaleString('en')} series rows to CSV`;
  row(label, ratio('series', 'curl'), 'x one keep-alive curl', 6.5);
  if (has('jq')) row(label, ratio('series', 'jq'), 'x curl | jq -r @csv', 0.5);
  if (has('jq')) row('curl | jq -r @csv, the same rows', ratio('jq', 'curl'), 'x one keep-alive curl');
  if (has('mlr')) row('curl | Miller, the same rows', ratio('mlr', 'curl'), 'x one keep-alive curl');
}

/** A condition and the first ten of an order, over 200,000 entries, against the plain export of all of them. */
async function asking({ env }) {
  const all = 200_000;
  const { url, stop } = await serving(all);
  try {
    const question = ['--where', 'amount > 100 and closed < today', '--sort', 'amount:desc', '--limit', '10'];
    const own = { ...env, COMEM_BASE_URL: url };
    const commands = [
      { name: 'export', argv: entries, env: own },
      { name: 'ask', argv: [...entries, ...question], env: own },
      { name: 'sum', argv: [...summing, '--by', 'stage,closed:month', '--agg', 'count, sum(amount), max'], env: own },
    ];
    const { ratio } = await compare(commands, { rounds: asked ?? 5, warmups: 1, onRound: progress('asking') });
    row('200,000 entries with --where --sort --limit 10', ratio('ask', 'export'), 'x the plain export', 1.15);
    row('200,000 entries summarized', ratio('sum', 'export'), 'x the plain export', 1.3);
    row('memory of --sort --limit 10', memory({ argv: [...entries, ...question], env: own }), 'MiB', 200);
    row('memory of --sort of all', memory({ argv: [...entries, '--sort', 'notes:desc'], env: own }), 'MiB', 200);
  } finally {
    stop();
  }
}

async function latency({ url, env, rows }) {
  const slow = { ...env, COMEM_BASE_URL: `${url}/slow` };
  const some = Math.min(rows, 10_000);
  const pages = curlConfig('slow-series', seriesUrls(`${url}/slow`, some));
  const offsets = curlConfig('slow-entries', entriesUrls(`${url}/slow`, rows));
  const growth = comem('metrics', 'growth', '-m', 'mrr,arr', '--last', '12', '-o', 'csv');
  const five = Array.from({ length: 5 }, (_, n) => ['-c', `11111111-1111-4111-8111-11111111111${n + 1}`]).flat();
  const commands = [
    { name: 'one company', argv: growth, env: slow },
    { name: 'five companies', argv: [...growth, ...five], env: slow },
    { name: 'five series', argv: [...series, '--last', '12', ...five], env: slow },
    { name: 'one series', argv: [...series, '--last', '12'], env: slow },
    { name: 'curl', argv: ['curl', '-s', '-K', pages] },
    { name: 'series', argv: [...series, '--limit', String(some)], env: slow },
    { name: 'curl -Z', argv: ['curl', '-s', '-Z', '--parallel-max', '8', '-K', offsets] },
    { name: 'entries', argv: entries, env: slow },
  ];
  const { ratio } = await compare(commands, { rounds: asked ?? 5, warmups: 1, onRound: progress('latency') });
  row('growth of 5 companies at 20 ms', ratio('five companies', 'one company'), 'x one company', 1.6);
  row('series of 5 companies at 20 ms', ratio('five series', 'one series'), 'x one company', 1.6);
  row('cursor pages at 20 ms', ratio('series', 'curl'), 'x sequential curl', 1.15);
  row(`${rows.toLocaleString('en')} entries at 20 ms`, ratio('entries', 'curl -Z'), 'x curl -Z --parallel-max 8', 1.6);
}

async function memories({ env, rows }) {
  const tenth = String(rows / 10);
  row('memory of --version', memory({ argv: comem('--version') }), 'MiB', 42);
  row('memory of one GET to a table', memory({ argv: comem('lists', 'list', '-o', 'table'), env }), 'MiB', 60);
  const whole = memory({ argv: series, env });
  row('memory of the series export', whole, 'MiB', 110);
  row('the same, 100,000 rows against 10,000', whole / memory({ argv: [...series, '--limit', tenth], env }), 'x', 1.35);
  const parallel = memory({ argv: entries, env });
  row('memory of the entries export, 8 in flight', parallel, 'MiB', 160);
  row(
    'the same, 100,000 rows against 10,000',
    parallel / memory({ argv: [...entries, '--limit', tenth], env }),
    'x',
    1.35,
  );
  await sizes(row, { comem, env });
}

async function imports() {
  for (const { latency: ms, inFlight, rate } of await importRates()) {
    row(`entries import, ${inFlight} in flight, ${ms} ms latency`, rate, 'rows/s');
  }
}

/** The largest memory of a command and the programs that it starts, at one moment; Linux only. */
async function memoryTogether({ argv, env }) {
  const child = spawn(argv[0], argv.slice(1), { env: { ...environment, ...env }, stdio: 'ignore' });
  const exit = once(child, 'exit');
  const resident = (pid) => Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
  let most = 0;
  const timer = setInterval(() => {
    const started = read(`/proc/${child.pid}/task/${child.pid}/children`).split(' ').filter(Boolean);
    most = Math.max(
      most,
      [child.pid, ...started].reduce((sum, pid) => sum + resident(pid), 0),
    );
  }, 10);
  await exit;
  clearInterval(timer);
  return most;
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** A statement over 200,000 entries, against the export, the import into SQLite's shell, and the same statement. */
async function sql({ env }) {
  const many = await serving(200_000);
  try {
    const own = { ...env, COMEM_BASE_URL: many.url };
    const statement = (table) => `select stage, count(*), sum(amount) from ${table} group by stage`;
    const argv = comem('sql', statement('pipeline'));
    const file = join(scratch, 'entries.csv');
    const shell3 = `sqlite3 :memory: -csv ".import ${file} t" "${statement('t')}"`;
    const exported = `'${node}' '${binary}' entries list ${listId} -o csv > ${file} && ${shell3}`;
    if (has('sqlite3')) {
      const commands = [
        { name: 'shell', argv: shell(exported), env: own },
        { name: 'sql', argv, env: own },
      ];
      const { ratio } = await compare(commands, { rounds: asked ?? 5, warmups: 1, onRound: progress('sql') });
      row('sql over 200,000 entries', ratio('sql', 'shell'), 'x export and sqlite3 .import', 2);
    }
    if (process.platform === 'linux') {
      row('memory of it, engine and program', await memoryTogether({ argv, env: own }), 'MiB', 200);
    }
  } finally {
    many.stop();
  }
}

async function serving(rows) {
  const server = spawn(node, [fileURLToPath(new URL('server.mjs', import.meta.url)), String(rows)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = await once(server.stdout, 'data');
  return { url: `http://127.0.0.1:${String(port).trim()}`, stop: () => server.kill() };
}

console.log(
  `Node ${process.versions.node}. N is the wall time of \`node -e 0\` in the same round; ratios are medians.\n`,
);
const rows = 100_000;
const { url, stop } = await serving(rows);
try {
  const env = {
    COMEM_BASE_URL: url,
    COMEM_API_KEY: 'cmk_bench',
    COMEM_SESSION_COOKIE: 'comem-auth-token=x',
    COMEM_COMPANY_ID: '11111111-1111-4111-8111-111111111111',
  };
  const all = {
    start: startUp,
    get: oneGet,
    table: tables,
    export: exports_,
    ask: asking,
    latency,
    memory: memories,
    import: imports,
    sql,
    mirror: ({ env }) => mirror(row, { comem, env, rounds: asked }),
  };
  for (const part of parts) await all[part]({ url, env, rows });
} finally {
  stop();
}

const missing = ['gh', 'jq', 'mlr', 'http', 'sqlite3'].filter((tool) => !has(tool));
if (missing.length > 0) console.log(`\nNot installed here, so not measured: ${missing.join(', ')}.`);
