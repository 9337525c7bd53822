// `npm run bench:server`: requests a second and how long they take, for the main reads and writes, on SQLite and on
// PostgreSQL with one server and with two, at 1, 8 and 64 connections; beside a bare fastify route that sends the same
// bytes, and one SQL statement that gives the JSON by itself. Then what 100,000 requests do to memory.
// `-- --entries N --seconds N --requests N` make it shorter or longer. Nothing is asserted.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { build } from 'esbuild';
import { fastify } from 'fastify';
import pg from 'pg';

const binary = fileURLToPath(new URL('../../bin/comem.js', import.meta.url));
const { values: options } = parseArgs({
  options: {
    entries: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '3' },
    requests: { type: 'string', default: '100000' },
  },
});
const [entries, seconds, requests] = [options.entries, options.seconds, options.requests].map(Number);
const folder = mkdtempSync(join(tmpdir(), 'comem-load-'));
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  XDG_CONFIG_HOME: folder,
  XDG_DATA_HOME: folder,
  XDG_STATE_HOME: folder,
};
const connections = [1, 8, 64];

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
  const argv = ['server', 'start', ...database, '--seed', 'none', '--port', '0', '--log-level', 'error'];
  const child = spawn(process.execPath, [binary, ...argv], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  const url = await new Promise((resolve, reject) => {
    child.stderr.on('data', (data) => {
      text += data;
      const found = /Serving (http:\S+)/.exec(text);
      if (found) resolve(found[1]);
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
  writeFileSync(file, JSON.stringify({ companies: [{ slug: 'load', name: 'Load' }], lists: [list], points }));
  return file;
}

async function prepare(database, file) {
  await comem('server', 'load', file, ...database);
  const key = JSON.parse(await comem('server', 'keys', 'create', ...database, '-o', 'json'));
  const session = JSON.parse(await comem('server', 'keys', 'create', '--session', ...database, '-o', 'json'));
  const headers = { authorization: `Bearer ${key.secret}`, cookie: session.secret };
  return { headers, companyId: key.companyId };
}

/** Requests by name; `body` and `path` may be made for each request. */
async function targets(url, { headers, companyId }) {
  const get = async (path) => (await fetch(url + path, { headers })).json();
  const [{ id: listId }] = await get(`/api/lists?companyId=${companyId}`);
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

/** Load on several servers at once, each with its share of the connections; times are the worst of them. */
async function load(urls, { path, method = 'GET', headers, body }, connections, limit) {
  const share = Math.max(1, Math.round(connections / urls.length));
  const results = await Promise.all(
    urls.map((url) =>
      autocannon({
        url,
        connections: share,
        ...limit,
        requests: [
          { method, path, headers, ...(body && { setupRequest: (request) => ({ ...request, body: body() }) }) },
        ],
      }),
    ),
  );
  const worst = (pick) => Math.max(...results.map(pick));
  return {
    rate: results.reduce((sum, { requests: { total }, duration }) => sum + total / duration, 0),
    p50: worst(({ latency }) => latency.p50),
    p99: worst(({ latency }) => latency.p99),
    failed: results.reduce((sum, { non2xx, errors }) => sum + non2xx + errors, 0),
  };
}

const rows = [];
async function measure(name, urls, target, what) {
  for (const count of connections.filter((one) => one >= urls.length)) {
    const { rate, p50, p99, failed } = await load(urls, target, count, { duration: seconds });
    rows.push({
      what,
      server: name,
      connections: count,
      'requests/s': Math.round(rate),
      'p50 ms': p50,
      'p99 ms': p99,
      failed,
    });
    process.stderr.write(`${name}: ${what}, ${count} connections: ${Math.round(rate)} requests/s\n`);
  }
}

async function engineRows(name, database, count, access) {
  const servers = await Promise.all(Array.from({ length: count }, () => serve(database)));
  const urls = servers.map(({ url }) => url);
  for (const [what, target] of Object.entries(await targets(urls[0], access))) await measure(name, urls, target, what);
  await Promise.all(servers.map(stop));
}

/** The limit: the same bytes from a route that does nothing. The peer: one statement that gives the page as JSON. */
async function comparisons(address, access, database) {
  const server = await serve(database);
  const all = await targets(server.url, access);
  const bytes = await (await fetch(server.url + all['GET 100 entries'].path, { headers: access.headers })).text();
  await stop(server);
  const pool = new pg.Pool({ connectionString: address, max: 10 });
  const statement = {
    name: 'page',
    text: `select coalesce(json_agg(p), '[]')::text as body from (
      select id, list_id, title, "values"::json, position, archived = 1 as archived, linked_entity_type, linked_entity_id,
        created_by, created_at, updated_at
      from entries where list_id = (select min(id) from lists) and archived = 0 order by position, created_at, id limit 100) p`,
  };
  const app = fastify();
  app.get('/bare', (_, reply) => reply.type('application/json').send(bytes));
  app.get('/sql', async (_, reply) => reply.type('application/json').send((await pool.query(statement)).rows[0].body));
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  await measure('bare fastify', [url], { path: '/bare' }, 'GET 100 entries');
  await measure('one statement', [url], { path: '/sql' }, 'GET 100 entries');
  await app.close();
  await pool.end();
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
  await load([server.url], target, 8, { amount: requests });
  const line = `${name}: ${first} MiB after 1,000 requests, ${residentMiB(server)} MiB after ${requests} more`;
  await stop(server);
  return line;
}

async function clusters() {
  const file = join(folder, 'postgres.mjs');
  const helper = fileURLToPath(new URL('../helpers/postgres.ts', import.meta.url));
  await build({
    entryPoints: [helper],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  return import(pathToFileURL(file).href);
}

const { makeCluster, dropCluster, programs, missing } = await clusters();
const file = seedFile();
const sqlite = ['--data-dir', join(folder, 'sqlite')];
const access = await prepare(sqlite, file);
const lines = [];
await engineRows('SQLite', sqlite, 1, access);
lines.push(await memory('SQLite', sqlite, access));
if (programs === undefined) console.error(`without PostgreSQL: ${missing}`);
else {
  // With its syncs, as a team would run it.
  const cluster = makeCluster(undefined, '');
  try {
    cluster.sql('create database load');
    const database = ['--database', cluster.address('load')];
    const there = await prepare(database, file);
    cluster.sql('vacuum analyze', 'load');
    await engineRows('PostgreSQL, 1 server', database, 1, there);
    await engineRows('PostgreSQL, 2 servers', database, 2, there);
    await comparisons(cluster.address('load'), there, database);
    lines.push(await memory('PostgreSQL', database, there));
  } finally {
    dropCluster(cluster);
  }
}
rows.sort((a, b) => (a.what < b.what ? -1 : a.what > b.what ? 1 : a.connections - b.connections));
console.log(`npm run bench:server -- --entries ${entries} --seconds ${seconds} --requests ${requests}`);
console.table(rows);
for (const line of lines) console.log(line);
rmSync(folder, { recursive: true, force: true });
