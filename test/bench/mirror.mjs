// `mirror sync` against the plain exports of the same data over HTTP: 200,000 entries and 1,000,000 points. The time of
// the first sync and of one that finds nothing new, the memory of both, and the size of the file.
// As a program of its own it is the server: ready-made pages, after they were asked for once. Prints its port.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environment, median, memory, scratch, time } from './measure.mjs';

const company = '11111111-1111-4111-8111-111111111111';
const listId = '22222222-2222-4222-8222-000000000001';
const entryCount = 200_000;
const metrics = Array.from({ length: 50 }, (_, n) => `metric_${n}`);
const versions = ['actual', 'budget', 'forecast'];
const seriesRows = 1_000_000 / metrics.length;

const uuid = (kind, n) => `${kind}-3333-4333-8333-${String(n).padStart(12, '0')}`;
const stages = ['Sourced', 'Screening', 'Diligence', 'Won', 'Passed'];
const time_ = (n) => new Date(1_600_000_000_000 + n * 123_457).toISOString();

function entry(n) {
  return {
    id: uuid('44444444', (n * 7919) % 1_000_000_007),
    list_id: listId,
    title: `Company ${n} of Somewhere`,
    values: {
      stage: `opt_${n % stages.length}`,
      amount: Math.round(n * 137.5) / 4,
      closed: time_(n).slice(0, 10),
      notes: `Note number ${n}, with a comma`,
      owner: `owner-${n % 40}`,
      email: `founder${n}@company.example`,
    },
    position: n,
    archived: n % 50 === 0,
    ...{ linked_entity_type: null, linked_entity_id: null, created_by: uuid('55555555', n % 30) },
    ...{ created_at: time_(n), updated_at: time_(n * 3) },
  };
}

function seriesPage(query) {
  const from = Number((query.get('cursor') ?? 'page-0').slice(5));
  const to = Math.min(seriesRows, from + Number(query.get('limit') ?? 100));
  const [items, observations] = [[], []];
  for (let at = from; at < to && query.get('periodType') === 'month'; at += 1) {
    const index = 12_000 + Math.floor(at / versions.length);
    const periodKey = `${Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}`;
    const row = { periodKey, periodType: 'month', version: versions[at % versions.length] };
    const about = { source: 'ledger', updatedAt: time_(at) };
    const values = Object.fromEntries(metrics.map((id, n) => [id, Math.round((1000 + at * 137 + n * 11) * 10) / 100]));
    items.push({ ...row, metrics: values, ...about });
    for (const metricId of metrics) {
      const measured = { metricId, value: values[metricId], unit: 'currency', currency: 'USD' };
      observations.push({ ...measured, ...row, sourceBoundary: 'company_internal', ...about });
    }
  }
  const more =
    to < seriesRows && items.length > 0 ? { nextCursor: `page-${to}`, truncated: true } : { truncated: false };
  const asked = {
    periodType: query.get('periodType'),
    versions: query.get('versions')?.split(',') ?? versions,
    order: query.get('order') ?? 'desc',
    limit: Number(query.get('limit') ?? 100),
  };
  return {
    companyId: company,
    currency: 'USD',
    sourceBoundary: 'company_internal',
    query: asked,
    items,
    observations,
    ...more,
  };
}

const list = { id: listId, slug: 'pipeline', name: 'Pipeline', company_id: company, entity_type: 'deal', position: 0 };
const options = stages.map((label, n) => ({ id: `opt_${n}`, label }));
const attributes = ['stage', 'amount', 'closed', 'notes', 'owner', 'email'].map((slug, position) => ({
  ...{ id: uuid('66666666', position), list_id: listId, name: slug, slug, is_required: false, position },
  ...(slug === 'stage' ? { attribute_type: 'select', config: { options } } : { attribute_type: 'text', config: {} }),
}));
const definitions = metrics.map((metricId) => ({ metricId, label: metricId, custom: false, archived: false }));

function bodyOf(path, query) {
  if (path.endsWith('/entries')) {
    const [offset, limit] = ['offset', 'limit'].map((name) => Number(query.get(name) ?? 0));
    return Array.from({ length: Math.min(limit, entryCount - offset) }, (_, n) => entry(offset + n));
  }
  if (path === '/api/metrics/series') return seriesPage(query);
  const others = {
    '/api/lists': [list],
    [`/api/lists/${listId}`]: { ...list, list_attributes: attributes },
    '/api/metrics/catalog': { companyId: company, currency: 'USD', sourceBoundary: 'company_internal', definitions },
    '/api/company/metrics': { metrics: {}, source: 'none', mode: 'live_actual', currency: 'USD' },
    '/api/metrics/grants': { grants: [] },
  };
  return others[path];
}

function serve() {
  const kept = new Map();
  const server = createServer({ keepAliveTimeout: 60_000 }, ({ url }, response) => {
    if (!kept.has(url)) {
      const { pathname, searchParams } = new URL(url, 'http://bench');
      const body = bodyOf(pathname, searchParams);
      kept.set(url, body === undefined ? undefined : Buffer.from(JSON.stringify(body)));
    }
    const body = kept.get(url) ?? Buffer.from('{"error":"Not found"}');
    response.writeHead(kept.get(url) === undefined ? 404 : 200, {
      ...{ 'content-type': 'application/json', 'content-length': body.length },
      ...(url.includes('/entries?') && { 'x-list-total-count': entryCount }),
    });
    response.end(body);
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
}

/** Bytes of the files of a folder. */
const bytesIn = (folder) => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

/** @param comem the argv of a command */
export async function mirror(row, { comem, env, rounds = 3 }) {
  const server = spawn(process.execPath, [fileURLToPath(import.meta.url)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const folder = join(scratch, 'mirror');
  try {
    const [port] = await once(server.stdout, 'data');
    const own = { ...env, COMEM_BASE_URL: `http://127.0.0.1:${String(port).trim()}`, COMEM_COMPANY_ID: company };
    const entries = comem('entries', 'list', listId, '--archived', '-o', 'csv');
    const points = (...flags) =>
      comem('metrics', 'series', '--versions', versions.join(','), '--order', 'asc', '-o', 'csv', ...flags);
    const sync = comem('mirror', 'sync', folder, '-o', 'json');
    const first = async () => {
      rmSync(folder, { recursive: true, force: true });
      return time({ argv: sync, env: own });
    };
    const exports_ = async (series) =>
      (await time({ argv: entries, env: own })) + (await time({ argv: series, env: own }));
    const [long, wide] = [points('--shape', 'long'), points()];
    const ratios = { first: [], again: [], wide: [] };
    for (let round = -1; round < rounds; round += 1) {
      const plain = await exports_(long);
      const wideTook = await exports_(wide);
      const begun = await first();
      const again = await time({ argv: sync, env: own });
      // The first round has the server make its pages.
      if (round < 0) continue;
      ratios.first.push(begun / plain);
      ratios.again.push(again / plain);
      ratios.wide.push(begun / wideTook);
    }
    row('first sync, 200,000 entries and 1,000,000 points', median(ratios.first), 'x the plain exports', 1.5);
    row('the same, when nothing changed', median(ratios.again), 'x the plain exports', 1.15);
    row('the first one against the exports with wide rows', median(ratios.wide), 'x the plain exports');
    const size = bytesIn(folder);
    const csv = join(scratch, 'csv');
    mkdirSync(csv, { recursive: true });
    const sizeOf = async (name, argv) => {
      const target = createWriteStream(join(csv, name));
      const child = spawn(argv[0], argv.slice(1), {
        env: { ...environment, ...own },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      child.stdout.pipe(target);
      await once(target, 'finish');
      return statSync(join(csv, name)).size;
    };
    const listed = await sizeOf('entries.csv', entries);
    row('its file', size / (listed + (await sizeOf('long.csv', long))), 'x the CSV', 2);
    row('the same against CSV with wide rows', size / (listed + (await sizeOf('wide.csv', wide))), 'x the CSV');
    row('memory of a sync when nothing changed', memory({ argv: sync, env: own }), 'MiB', 150);
    rmSync(folder, { recursive: true });
    row('memory of the first sync', memory({ argv: sync, env: own }), 'MiB', 150);
  } finally {
    server.kill();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serve();
