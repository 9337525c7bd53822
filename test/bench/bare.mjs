// What `npm run bench:server` compares with, as a process of its own like the servers: a route that sends the bytes of
// a file, and one that sends what a single SQL statement gives.
import { readFileSync } from 'node:fs';
import { fastify } from 'fastify';
import pg from 'pg';

const [file, address] = process.argv.slice(2);
const bytes = readFileSync(file, 'utf8');
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
app.get('/readyz', async () => (await pool.query('select 1')).rows);
console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
process.on('SIGTERM', () => process.exit());
