// `npm run bench:server`: requests a second and how long they take, for the main reads and writes, on SQLite and on
// PostgreSQL with one server and with two, at 1, 8 and 64 connections; each read as a multiple of one SQL statement that
// gives the same JSON, and of a bare fastify route that sends the same bytes. Then what 100,000 requests do to memory.
// `-- --ratios` compares only, `-- --short` takes a few minutes; `--entries N --seconds N --requests N` say it one by one.
// Nothing is asserted, but an answer that is no success is counted in `failed`, and nothing is measured that fails at first.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { build } from 'rolldown';
import { median } from './measure.mjs';

const binary = fileURLToPath(new URL('../../bin/comem.js', import.meta.url));
const { values: options } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    ratios: { type: 'boolean', default: false },
    entries: { type: 'string' },
    seconds: { type: 'string' },
    requests: { type: 'string' },
  },
});
const entries = Number(options.entries ?? (options.short ? 5000 : 20_000));
const seconds = Number(options.seconds ?? (options.short ? 1 : 3));
const requests = Number(options.requests ?? (options.short ? 10_000 : 100_000));
const folder = mkdtempSync(join(tmpdir(), 'comem-load-'));
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  XDG_CONFIG_HOME: folder,
  XDG_DATA_HOME: folder,
  XDG_STATE_HOME: folder,
};
const connections = [1, 8, 64];
/** Times that each side of a comparison is loaded. */
const rounds = options.short ? 3 : 7;
const comparisons = [];

async function comem(...argv) {
  const child = spawn(process.execPath, [binary, ...argv], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (data) => {
    text += data;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`comem ${argv.join(' ')} ended with ${code}`);
  return text;
}

async function serve(database) {
  const argv = ['server', 'start', ...database, '--seed', 'none', '--port', '0'];
  const child = spawn(process.execPath, [binary, ...argv], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  const url = await new Promise((resolve, reject) => {
    child.stderr.on('data', (data) => {
      text += data;
      const [, address] = /Serving (http:\S+)/.exec(text) ?? [];
      if (address === undefined) return;
      // The log of the load is discarded: reading it would take more time of this process than the requests.
      child.stderr.removeAllListeners('data').resume();
      resolve(address);
    });
    child.on('close', () => reject(new Error(text)));
  });
  return { child, url };
}

async function stop({ child }) {
  child.kill('SIGTERM');
  await once(child, 'close');
}

/** One company: a list of many entries over eleven attributes, and ten years of forty metrics by month. */
function seedFile() {
  const types = ['text', 'number', 'currency', 'date', 'url', 'email', 'checkbox', 'rating'];
  const choices = ['select', 'status', 'multi_select'];
  const labels = Array.from({ length: 100 }, (_, n) => `s${n}`);
  const attributes = [
    ...types.map((type) => ({ name: type, slug: type, attribute_type: type })),
    ...choices.map((type) => ({
      name: type,
      slug: type.replace('_', '-'),
      attribute_type: type,
      config: { options: labels.map((label) => ({ label })) },
    })),
  ];
  const entry = (n) => ({
    title: `Entry ${n}`,
    values: {
      text: `Note ${n}`,
      number: n,
      currency: n * 1.25,
      date: `2025-01-${String((n % 28) + 1).padStart(2, '0')}`,
      url: `https://example.com/${n}`,
      email: `p${n}@example.com`,
      checkbox: n % 2 === 0,
      rating: n % 6,
      select: labels[n % 100],
      status: labels[n % 7],
      'multi-select': [labels[n % 5], labels[5 + (n % 5)]],
    },
  });
  const metrics = Array.from({ length: 40 }, (_, n) => `metric-${n}`);
  const points = Array.from({ length: 120 }, (_, n) => ({
    company: 'load',
    period: `${2015 + Math.floor(n / 12)}-${String((n % 12) + 1).padStart(2, '0')}`,
    version: 'actual',
    metrics: Object.fromEntries(metrics.map((id, m) => [id, n * 100 + m])),
  }));
  const file = join(folder, 'seed.json');
  const list = {
    company: 'load',
    name: 'Load',
    attributes,
    entries: Array.from({ length: entries }, (_, n) => entry(n)),
  };
  const others = Array.from({ length: 19 }, (_, n) => ({ company: 'load', name: `List ${n}`, attributes }));
  const lists = [list, ...others];
  writeFileSync(file, JSON.stringify({ companies: [{ slug: 'load', name: 'Load' }], lists, points }));
  return file;
}

async function prepare(database, file) {
  await comem('server', 'load', file, ...database);
  const key = JSON.parse(await comem('server', 'keys', 'create', ...database, '-o', 'json'));
  const session = JSON.parse(await comem('server', 'keys', 'create', '--session', ...database, '-o', 'json'));
  const headers = { authorization: `Bearer ${key.secret}`, cookie: session.secret };
  return { headers, companyId: key.companyId };
}

/** Requests by name; `body` and `path` may be functions that make one for each request. */
async function targets(url, { headers, companyId }) {
  const get = async (path) => (await fetch(url + path, { headers })).json();
  const lists = await get(`/api/lists?companyId=${companyId}`);
  const { id: listId } = lists.find(({ name }) => name === 'Load');
  const at = `/api/lists/${listId}/entries`;
  const page = await get(`${at}?limit=500`);
  const json = { ...headers, 'content-type': 'application/json' };
  let n = 0;
  const next = () => {
    n += 1;
    return n;
  };
  return {
    'GET lists': { path: `/api/lists?companyId=${companyId}`, headers },
    'GET 100 entries': { path: `${at}?limit=100`, headers },
    // As after a write: more pages than the server keeps.
    'GET 100 entries, each time others': { path: () => `${at}?limit=100&offset=${next() % 1000}`, headers },
    'GET 100 of a facet of 1 %': { path: `${at}?limit=100&filter[select]=s7`, headers },
    'GET 100 deep down': { path: `${at}?limit=100&offset=${Math.max(0, entries - 200)}`, headers },
    'GET a search': { path: `${at}?limit=100&search=entry%20123`, headers },
    'GET 60 rows of series': {
      path: `/api/metrics/series?companyId=${companyId}&periodType=month&versions=actual&metricIds=metric-1,metric-2&limit=60`,
      headers,
    },
    'POST entry': {
      method: 'POST',
      path: at,
      headers: json,
      body: () => JSON.stringify({ title: `New ${next()}`, values: { text: 'x' } }),
    },
    'PATCH entry': {
      method: 'PATCH',
      path: at,
      headers: json,
      body: () => JSON.stringify({ id: page[next() % page.length].id, values: { number: next() } }),
    },
  };
}

const textOf = (text) => (typeof text === 'function' ? text() : text);

/** Load on several servers at once, each with its share of the connections; times are the worst of them. */
async function load(urls, { path, method = 'GET', headers, body }, connections, limit) {
  const share = Math.max(1, Math.round(connections / urls.length));
  const results = await Promise.all(
    urls.map((url) =>
      autocannon({
        url,
        connections: share,
        timeout: 30,
        ...limit,
        requests: [
          {
            ...{ method, headers, path: textOf(path) },
            setupRequest: (request) => ({ ...request, path: textOf(path), body: textOf(body) }),
          },
        ],
      }),
    ),
  );
  const worst = (pick) => Math.max(...results.map(pick));
  const sum = (pick) => results.reduce((all, result) => all + pick(result), 0);
  return {
    answered: sum(({ '2xx': good }) => good),
    rate: sum(({ '2xx': good, duration }) => good / duration),
    p50: worst(({ latency }) => latency.p50),
    p99: worst(({ latency }) => latency.p99),
    failed: sum(({ non2xx, errors }) => non2xx + errors),
  };
}

/**
 * What was cut off at the end of a load is still worked on. The next one begins when it is done: the answer to a probe
 * waits in the same queue for the database.
 */
async function quiet(urls, { headers } = {}) {
  for (const url of urls) {
    for (let left = 60; ; left -= 1) {
      const answer = await fetch(`${url}/readyz`, { headers });
      await answer.arrayBuffer();
      if (answer.ok || answer.status === 404) break;
      if (left === 0) throw new Error(`${url} does not come to rest`);
      await sleep(500);
    }
  }
}

/** One request by itself: the way is right, and the server has done it before. */
async function once2xx(url, { path, method = 'GET', headers, body }) {
  const answer = await fetch(url + textOf(path), { method, headers, body: textOf(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${textOf(path)}: ${answer.status} ${text.slice(0, 300)}`);
}

/** Milliseconds of CPU that the processes have used since they began. */
function cpuOf(pids) {
  const ticks = pids.map((pid) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
      return Number(fields[11]) + Number(fields[12]);
    } catch {
      return 0;
    }
  });
  // The kernel counts in hundredths of a second.
  return 10 * ticks.reduce((all, one) => all + one, 0);
}

/** The processes of a cluster: its first one and those that it began. */
function processesOf(cluster) {
  if (cluster === undefined) return [];
  const [first] = readFileSync(join(cluster.folder, 'data/postmaster.pid'), 'utf8').split('\n');
  const others = readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')[1] === first;
    } catch {
      return false;
    }
  });
  return [first, ...others];
}

const rows = [];
async function measure(name, urls, target, what, { pids, cluster }) {
  await once2xx(urls[0], target);
  for (const count of connections.filter((one) => one >= urls.length)) {
    await quiet(urls, target);
    let before;
    let result;
    // Longer where not even one answer for each connection came: what is cut off at the end is not counted.
    for (let duration = seconds; ; duration *= 4) {
      before = [cpuOf(pids), cpuOf(processesOf(cluster))];
      result = await load(urls, target, count, { duration });
      if (result.answered + result.failed >= count || duration > 4 * seconds) break;
      await quiet(urls, target);
    }
    const { answered, rate, p50, p99, failed } = result;
    const cpu = [cpuOf(pids), cpuOf(processesOf(cluster))].map((now, at) => {
      const each = (now - before[at]) / Math.max(1, answered + failed);
      return Number(each.toFixed(2));
    });
    rows.push({
      what,
      server: name,
      connections: count,
      'requests/s': Number(rate.toFixed(rate < 10 ? 1 : 0)),
      'p50 ms': p50,
      'p99 ms': p99,
      failed,
      'CPU ms': cpu[0],
      ...(cluster && { 'database CPU ms': cpu[1] }),
    });
    const fails = failed > 0 ? `, ${failed} FAILED` : '';
    process.stderr.write(`${name}: ${what}, ${count} connections: ${Math.round(rate)} requests/s${fails}\n`);
  }
}

async function engineRows(name, database, count, access, cluster) {
  const servers = await Promise.all(Array.from({ length: count }, () => serve(database)));
  const urls = servers.map(({ url }) => url);
  const processes = { pids: servers.map(({ child }) => child.pid), cluster };
  try {
    for (const [what, target] of Object.entries(await targets(urls[0], access)))
      await measure(name, urls, target, what, processes);
  } finally {
    await Promise.all(servers.map(stop));
  }
}

/** Reads whose JSON one statement gives, by the route of bare.mjs. */
const yardsticks = {
  page: 'GET 100 entries',
  facet: 'GET 100 of a facet of 1 %',
  series: 'GET 60 rows of series',
  lists: 'GET lists',
};

/**
 * Requests a second of each read as a multiple of those of one statement that gives the same JSON, and of a route that
 * sends the same bytes. All three are loaded in turn, so that what else the machine does meets all of them.
 */
async function ratios(name, database, access, address) {
  const server = await serve(database);
  const all = await targets(server.url, access);
  const file = join(folder, 'page.json');
  const bytes = await (await fetch(server.url + all['GET 100 entries'].path, { headers: access.headers })).text();
  writeFileSync(file, bytes);
  const program = fileURLToPath(new URL('bare.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, file, address], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  const bare = line.trim();
  const compared = [];
  try {
    for (const [route, what] of Object.entries(yardsticks)) {
      const sides = [
        [server.url, all[what]],
        [bare, { path: `/${route}` }],
        [bare, { path: '/bare' }],
      ];
      for (const [url, target] of sides) await once2xx(url, target);
      for (const count of connections) {
        const rates = [];
        for (let round = 0; round < rounds; round += 1) {
          const rate = [];
          for (const [url, target] of sides) {
            const result = await load([url], target, count, { duration: seconds });
            if (result.failed > 0) throw new Error(`${what}: ${result.failed} failed at ${url}`);
            rate.push(result.rate);
          }
          rates.push(rate);
        }
        const middle = (pick) => median(rates.map(pick));
        compared.push({
          read: what,
          engine: name,
          connections: count,
          'requests/s': Math.round(middle(([rate]) => rate)),
          'of one statement': Number(middle(([rate, statement]) => rate / statement).toFixed(2)),
          'of the same bytes': Number(middle(([rate, , same]) => rate / same).toFixed(2)),
        });
        process.stderr.write(`${JSON.stringify(compared.at(-1))}\n`);
      }
    }
  } finally {
    await stop({ child });
    await stop(server);
  }
  comparisons.push(...compared);
}

function residentMiB({ child }) {
  const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kib) / 1024);
}

async function memory(name, database, access) {
  const server = await serve(database);
  const { 'GET 100 entries': target } = await targets(server.url, access);
  await load([server.url], target, 8, { amount: 1000 });
  const first = residentMiB(server);
  const { failed } = await load([server.url], target, 8, { amount: requests });
  const line = `${name}: ${first} MiB after 1,000 requests, ${residentMiB(server)} MiB after ${requests} more, ${failed} of them failed`;
  process.stderr.write(`${line}\n`);
  await stop(server);
  return line;
}

async function clusters() {
  const file = join(folder, 'postgres.mjs');
  const helper = fileURLToPath(new URL('../helpers/postgres.ts', import.meta.url));
  await build({ input: helper, platform: 'node', output: { file, format: 'esm' }, logLevel: 'warn' });
  return import(pathToFileURL(file).href);
}

const { makeCluster, dropCluster, programs, missing } = await clusters();
const file = seedFile();
const lines = [];
try {
  const sqlite = ['--data-dir', join(folder, 'sqlite')];
  const access = await prepare(sqlite, file);
  await ratios('SQLite', sqlite, access, join(folder, 'sqlite', 'comem.db'));
  if (!options.ratios) {
    await engineRows('SQLite', sqlite, 1, access);
    lines.push(await memory('SQLite', sqlite, access));
  }
  if (programs === undefined) console.error(`without PostgreSQL: ${missing}`);
  else {
    // With its syncs, as a team would run it.
    const cluster = makeCluster(undefined, '');
    try {
      cluster.sql('create database load');
      const database = ['--database', cluster.address('load')];
      const there = await prepare(database, file);
      cluster.sql('vacuum analyze', 'load');
      await ratios('PostgreSQL', database, there, cluster.address('load'));
      if (!options.ratios) {
        await engineRows('PostgreSQL, 1 server', database, 1, there, cluster);
        await engineRows('PostgreSQL, 2 servers', database, 2, there, cluster);
        lines.push(await memory('PostgreSQL', database, there));
      }
    } finally {
      dropCluster(cluster);
    }
  }
} finally {
  // What was measured is told, whatever came after.
  rows.sort((a, b) => (a.what < b.what ? -1 : a.what > b.what ? 1 : a.connections - b.connections));
  console.log(`npm run bench:server -- --entries ${entries} --seconds ${seconds} --requests ${requests}`);
  console.table(comparisons);
  if (rows.length > 0) console.table(rows);
  for (const line of lines) console.log(line);
  const failures = rows.reduce((all, { failed }) => all + failed, 0);
  console.log(
    `${rows.length} rows, ${failures} requests failed. CPU: of the servers, and of the database, by request.`,
  );
  rmSync(folder, { recursive: true, force: true });
}
