// What `npm run bench:server` compares with, as a process of its own like the servers: a route that sends the bytes of
// a file, and for each read a route that sends what one SQL statement gives on the same database.
import { readFileSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { fastify } from 'fastify';
import pg from 'pg';

const [file, database] = process.argv.slice(2);
const isPostgres = database.startsWith('postgres:');

/** JSON functions by engine: objects, arrays, JSON that is stored as text, and booleans that are stored as 0 and 1. */
const json = isPostgres
  ? { object: 'json_build_object', array: 'json_agg', stored: (sql) => `${sql}::json`, flag: (sql) => `${sql} = 1` }
  : {
      object: 'json_object',
      array: 'json_group_array',
      stored: (sql) => `json(${sql})`,
      flag: (sql) => `json(iif(${sql}, 'true', 'false'))`,
    };

const objectOf = (fields) =>
  `${json.object}(${Object.entries(fields)
    .map(([name, sql]) => `'${name}', ${sql}`)
    .join(', ')})`;
const arrayOf = (object, rows) =>
  isPostgres
    ? `select coalesce(json_agg(item), '[]')::text as body from (select ${object} as item ${rows}) page`
    : `select json_group_array(json(item)) as body from (select ${object} as item ${rows})`;
const plain = (...names) => Object.fromEntries(names.map((name) => [name, `x.${name}`]));

const entry = objectOf({
  ...plain('id', 'list_id', 'title'),
  values: json.stored('x."values"'),
  position: 'x.position',
  archived: json.flag('x.archived'),
  ...plain('linked_entity_type', 'linked_entity_id', 'created_by', 'created_at', 'updated_at'),
});
const list = objectOf({
  ...plain('id', 'network_id', 'company_id', 'name', 'slug', 'description', 'icon', 'color', 'entity_type'),
  context_type: 'x.context_type',
  is_system: json.flag('x.is_system'),
  ...plain('position', 'created_by', 'created_at', 'updated_at'),
  list_attributes_count: '(select count(*) from list_attributes a where a.list_id = x.id)',
});
const point = {
  periodKey: 'x.period_key',
  periodType: 'x.period_type',
  version: 'x.version',
  source: 'max(x.source)',
  updatedAt: 'max(x.updated_at)',
};
const item = objectOf({
  ...point,
  metrics: isPostgres ? 'json_object_agg(x.metric_id, x.value::json)' : 'json_group_object(x.metric_id, json(x.value))',
});
const observation = objectOf({
  metricId: 'x.metric_id',
  value: json.stored('x.value'),
  unit: 'null',
  currency: 'null',
  periodKey: 'x.period_key',
  periodType: 'x.period_type',
  version: 'x.version',
  sourceBoundary: "'company_internal'",
  source: 'x.source',
  updatedAt: 'x.updated_at',
});
const points = `from metric_points x where company_id = (select min(id) from companies) and period_type = 'month'
  and version = 'actual' and metric_id in ('metric-1', 'metric-2')`;
const biggest = `(select id from lists where name = 'Load')`;
const ordered = 'order by x.position, x.created_at';
const statements = {
  page: arrayOf(entry, `from entries x where list_id = ${biggest} and archived = 0 ${ordered}, x.id limit 100`),
  facet: arrayOf(
    entry,
    `from entry_facets f join entries x on x.id = f.entry_id where f.list_id = ${biggest} and f.slug = 'select'
     and f.value_key = (select min(value_key) from entry_facets g where g.list_id = ${biggest} and g.slug = 'select')
     and f.archived = 0 order by f.position, f.created_at, f.entry_id limit 100`,
  ),
  lists: arrayOf(list, `from lists x where company_id = (select min(id) from companies) ${ordered}, x.id`),
  series: `select '{"companyId":"' || (select min(id) from companies) || '","items":' || a.body || ',"observations":'
    || b.body || '}' as body from
    (${arrayOf(item, `${points} group by x.period_key, x.period_type, x.version order by x.period_key desc limit 60`)}) a,
    (${arrayOf(observation, `${points} order by x.period_key desc limit 120`)}) b`,
};

async function runner() {
  if (isPostgres) {
    const pool = new pg.Pool({ connectionString: database, max: 10 });
    return async (name, text) => (await pool.query({ name, text })).rows[0].body;
  }
  const connection = new DatabaseSync(database, { readOnly: true });
  const prepared = new Map();
  return async (name, text) => {
    if (!prepared.has(name)) prepared.set(name, connection.prepare(text));
    return prepared.get(name).get().body;
  };
}

const run = await runner();
const app = fastify();
const bytes = readFileSync(file, 'utf8');
app.get('/bare', (_, reply) => reply.type('application/json').send(bytes));
for (const [name, text] of Object.entries(statements)) {
  app.get(`/${name}`, async (_, reply) => reply.type('application/json').send(await run(name, text)));
}
app.get('/readyz', async () => ({ status: await run('readyz', "select 'ok' as body") }));
console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
process.on('SIGTERM', () => process.exit());
