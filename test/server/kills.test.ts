/** kill -9 in a mixed load: what was acknowledged is there, nothing is half there, and the server starts again by itself. */
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { totalCountHeader } from '../../src/contract/operation.ts';
import { isPostgres } from '../../src/core/addresses.ts';
import { engine, freshDatabase } from '../helpers/database.ts';
import { buildWriter, type Run, runWriter } from './process.ts';
import { companies, sessions, tokens, type World, world } from './world.ts';

/** Two in a run of all tests, fifty in `npm run soak`. */
const kills = Number(process.env.COMEM_KILLS ?? 2);
const workers = 6;

interface Entry {
  id: string;
  title: string;
  values: { t?: string };
  archived: boolean;
  position: number;
}

/** What one worker was answered about its entries, and what it asked for last without an answer. */
interface Ledger {
  name: string;
  kept: Map<string, { title: string; t: string; archived: boolean }>;
  pending?: { id?: string; title?: string; t?: string; archived?: boolean; gone?: boolean } | undefined;
  lists: Set<string>;
}

let folder: string;
let program: string;
let w: World;
let named: string;
let listId: string;
let server: Run;
let survived = 0;
let acknowledged = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'comem-kills-'));
  program = await buildWriter(folder);
  const fresh = await freshDatabase();
  named = fresh.database ?? join(folder, 'data');
  w = await world({}, isPostgres(named) ? fresh : { dataDir: named });
  listId = (await w.call('createList', { query: { companyId: companies.fund }, body: { name: 'Load' } })).body.id;
  await w.call('createAttribute', { params: { listId }, body: { name: 'T', attribute_type: 'text' } });
});
afterAll(async () => {
  process.stdout.write(`kills on ${engine}: ${survived} survived, ${acknowledged} writes acknowledged and found\n`);
  server.child.kill('SIGKILL');
  await server.done;
  await w.close();
  await rm(folder, { recursive: true, force: true });
});

async function send(url: string, method: string, path: string, body?: unknown): Promise<Response | undefined> {
  const headers = {
    cookie: `comem-auth-token=${sessions.ann}`,
    authorization: `Bearer ${tokens.ann}`,
    'content-type': 'application/json',
  };
  try {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // A body that is cut was not acknowledged.
    return new Response(answer.status === 204 ? null : await answer.text(), { status: answer.status });
  } catch {
    return undefined;
  }
}

/** Writes until the server is gone. */
async function work(url: string, ledger: Ledger, onAcknowledged: () => void): Promise<void> {
  const at = `/api/lists/${listId}/entries`;
  for (let n = 0; ; n += 1) {
    const ids = [...ledger.kept.keys()];
    const id = ids[randomInt(ids.length + 1)];
    const choice = randomInt(10);
    const t = `${ledger.name}${randomInt(4)}`;
    let answer: Response | undefined;
    if (id === undefined || choice < 4) {
      const title = `${ledger.name} ${crypto.randomUUID()}`;
      ledger.pending = { title, t, archived: false };
      answer = await send(url, 'POST', at, { title, values: { t } });
      if (answer) ledger.kept.set(((await answer.json()) as { id: string }).id, { title, t, archived: false });
    } else if (choice < 8) {
      const archived = choice === 7;
      ledger.pending = { id, t, archived };
      answer = await send(url, 'PATCH', at, { id, values: { t }, archived });
      const before = ledger.kept.get(id);
      if (answer && before) ledger.kept.set(id, { ...before, t, archived });
    } else if (choice === 8) {
      ledger.pending = { id, gone: true };
      answer = await send(url, 'DELETE', `${at}?entryId=${id}`);
      if (answer) ledger.kept.delete(id);
    } else {
      ledger.pending = {};
      const name = `${ledger.name} ${n}`;
      answer = await send(url, 'POST', '/api/lists/templates/instantiate', { templateId: 'hiring', name });
      if (answer) ledger.lists.add(((await answer.json()) as { list: { id: string } }).list.id);
    }
    if (!answer) return;
    expect(answer.status).toBeLessThan(300);
    ledger.pending = undefined;
    acknowledged += 1;
    onAcknowledged();
  }
}

async function check(ledgers: readonly Ledger[]): Promise<void> {
  const page = async (query: Record<string, string>): Promise<Entry[]> => {
    const found: Entry[] = [];
    for (let offset = 0; ; offset += 500) {
      const asked = { params: { listId }, query: { ...query, archived: 'true', limit: '500', offset: String(offset) } };
      const { body } = await w.call('listEntries', asked);
      found.push(...body);
      if (body.length < 500) return found;
    }
  };
  const entries = await page({});
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const counted = await w.call('listEntries', {
    params: { listId },
    query: { archived: 'true', withTotal: 'true', limit: '1' },
  });
  expect(Number(counted.headers[totalCountHeader])).toBe(entries.length);
  expect(new Set(entries.map(({ position }) => position)).size).toBe(entries.length);
  for (const { kept, pending, lists, name } of ledgers) {
    for (const [id, told] of kept) {
      const entry = byId.get(id);
      const found = entry && { title: entry.title, t: entry.values.t, archived: entry.archived };
      const asked = pending?.id === id ? pending : undefined;
      if (asked?.gone && entry === undefined) continue;
      const possible = [told, ...(asked && !asked.gone ? [{ ...told, t: asked.t, archived: asked.archived }] : [])];
      expect(possible).toContainEqual(found);
    }
    const strangers = entries.filter((entry) => entry.title.startsWith(`${name} `) && !kept.has(entry.id));
    for (const stranger of strangers) expect(stranger.title).toBe(pending?.title);
    const all = (await w.call('listLists', { query: { companyId: companies.fund } })).body;
    const known = new Map(all.map((list: { id: string; list_attributes_count: number }) => [list.id, list]));
    for (const id of lists) expect(known.get(id)).toMatchObject({ list_attributes_count: 8 });
    // No list without its attributes, whoever made it.
    for (const list of all) expect([1, 8]).toContain(list.list_attributes_count);
  }
  // What the filters find is what the entries hold.
  for (const t of new Set(entries.map(({ values }) => values.t ?? ''))) {
    const expected = entries.filter(({ values }) => values.t === t).map(({ id }) => id);
    expect((await page({ 'filter[t]': t })).map(({ id }) => id)).toEqual(expected);
  }
}

it(`survives ${kills} kills in a mixed load`, { timeout: 60_000 + kills * 10_000 }, async () => {
  const ledgers: Ledger[] = Array.from({ length: workers }, (_, n) => ({
    name: `w${n}`,
    kept: new Map(),
    lists: new Set(),
  }));
  server = runWriter(program, 'serve', named);
  for (let kill = 0; kill < kills; kill += 1) {
    const url = await server.line(0);
    const victim = server;
    let left = randomInt(10, 120);
    const onAcknowledged = () => {
      left -= 1;
      if (left === 0) setTimeout(() => victim.child.kill('SIGKILL'), randomInt(4));
    };
    await Promise.all(ledgers.map((ledger) => work(url, ledger, onAcknowledged)));
    await victim.done;
    server = runWriter(program, 'serve', named);
    await server.line(0);
    await check(ledgers);
    // What was under way is now known, one way or the other.
    const entries = await allOf();
    for (const ledger of ledgers) settle(ledger, entries);
    survived += 1;
  }
  expect(survived).toBe(kills);
});

async function allOf(): Promise<Entry[]> {
  const rows = await w.store.db.selectFrom('entries').selectAll().where('list_id', '=', listId).execute();
  return rows.map((row) => ({ ...row, values: JSON.parse(row.values), archived: row.archived === 1 }));
}

function settle(ledger: Ledger, entries: readonly Entry[]): void {
  ledger.pending = undefined;
  ledger.kept = new Map(
    entries
      .filter(({ title }) => title.startsWith(`${ledger.name} `))
      .map(({ id, title, values, archived }) => [id, { title, t: values.t ?? '', archived }]),
  );
}
