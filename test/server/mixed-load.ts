/** Writes of several workers through one server that is killed, or whose database is, and what must be there afterwards. */
import { randomInt } from 'node:crypto';
import { expect, vi } from 'vitest';
import { totalCountHeader } from '../../src/contract/operation.ts';
import { companies, sessions, tokens, type World } from './world.ts';

const workers = 6;

interface Entry {
  id: string;
  title: string;
  values: { t?: string };
  archived: boolean;
  position: number;
}

/** The acknowledged state of one worker's entries and lists, and its last write, which had no answer. */
interface Ledger {
  name: string;
  entries: Map<string, { title: string; t: string; archived: boolean }>;
  pending?: { id?: string; title?: string; t?: string; archived?: boolean; gone?: boolean } | undefined;
  lists: Set<string>;
}

export class MixedLoad {
  acknowledged = 0;
  private readonly ledgers: readonly Ledger[] = Array.from({ length: workers }, (_, n) => ({
    name: `w${n}`,
    entries: new Map(),
    lists: new Set(),
  }));

  private constructor(
    private readonly w: World,
    private readonly listId: string,
  ) {}

  static async create(w: World): Promise<MixedLoad> {
    const list = await w.call('createList', { query: { companyId: companies.fund }, body: { name: 'Load' } });
    const listId = list.body.id;
    await w.call('createAttribute', { params: { listId }, body: { name: 'T', attribute_type: 'text' } });
    return new MixedLoad(w, listId);
  }

  /** Workers whose last write had no answer, or 503. */
  get unanswered(): number {
    return this.ledgers.filter(({ pending }) => pending !== undefined).length;
  }

  /** Each worker writes until a write has no answer, or the load is to end. */
  async run(url: string, onAcknowledged: () => void, end = new AbortController().signal): Promise<void> {
    await Promise.all(this.ledgers.map((ledger) => this.work(url, ledger, onAcknowledged, end)));
  }

  private async work(url: string, ledger: Ledger, onAcknowledged: () => void, end: AbortSignal): Promise<void> {
    const at = `/api/lists/${this.listId}/entries`;
    for (let n = 0; !end.aborted; n += 1) {
      const ids = [...ledger.entries.keys()];
      const id = ids[randomInt(ids.length + 1)];
      const choice = randomInt(10);
      const t = `${ledger.name}${randomInt(4)}`;
      let answer: Response | undefined;
      if (id === undefined || choice < 4) {
        const title = `${ledger.name} ${crypto.randomUUID()}`;
        ledger.pending = { title, t, archived: false };
        answer = await send(url, 'POST', at, { title, values: { t } });
        if (answer) ledger.entries.set(((await answer.json()) as { id: string }).id, { title, t, archived: false });
      } else if (choice < 8) {
        const archived = choice === 7;
        ledger.pending = { id, t, archived };
        answer = await send(url, 'PATCH', at, { id, values: { t }, archived });
        const before = ledger.entries.get(id);
        if (answer && before) ledger.entries.set(id, { ...before, t, archived });
      } else if (choice === 8) {
        ledger.pending = { id, gone: true };
        answer = await send(url, 'DELETE', `${at}?entryId=${id}`);
        if (answer) ledger.entries.delete(id);
      } else {
        ledger.pending = {};
        const name = `${ledger.name} ${n}`;
        answer = await send(url, 'POST', '/api/lists/templates/instantiate', { templateId: 'hiring', name });
        if (answer) ledger.lists.add(((await answer.json()) as { list: { id: string } }).list.id);
      }
      if (!answer) return;
      ledger.pending = undefined;
      this.acknowledged += 1;
      onAcknowledged();
    }
  }

  /** Every acknowledged write is there, once; a write without an answer is there or not, and nothing is half there. */
  async check(): Promise<void> {
    const { w, listId, ledgers } = this;
    const page = async (query: Record<string, string>): Promise<Entry[]> => {
      const rows: Entry[] = [];
      for (let offset = 0; ; offset += 500) {
        const all = { ...query, archived: 'true', limit: '500', offset: String(offset) };
        const { body } = await w.call('listEntries', { params: { listId }, query: all });
        rows.push(...body);
        if (body.length < 500) return rows;
      }
    };
    // This process, too, has to find the database again.
    const entries = await vi.waitFor(() => page({}), { timeout: 10_000, interval: 100 });
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    const counted = await w.call('listEntries', {
      params: { listId },
      query: { archived: 'true', withTotal: 'true', limit: '1' },
    });
    expect(Number(counted.headers[totalCountHeader])).toBe(entries.length);
    expect(new Set(entries.map(({ position }) => position)).size).toBe(entries.length);
    for (const { entries: acknowledged, pending, lists, name } of ledgers) {
      for (const [id, before] of acknowledged) {
        const entry = byId.get(id);
        const stored = entry && { title: entry.title, t: entry.values.t, archived: entry.archived };
        const open = pending?.id === id ? pending : undefined;
        if (open?.gone && entry === undefined) continue;
        const possible = [before, ...(open && !open.gone ? [{ ...before, t: open.t, archived: open.archived }] : [])];
        expect(possible).toContainEqual(stored);
      }
      const others = entries.filter((entry) => entry.title.startsWith(`${name} `) && !acknowledged.has(entry.id));
      for (const other of others) expect(other.title).toBe(pending?.title);
      expect(others.length).toBeLessThan(2);
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
    this.settle(entries);
  }

  /** What was under way is now known, one way or the other. */
  private settle(entries: readonly Entry[]): void {
    for (const ledger of this.ledgers) {
      ledger.pending = undefined;
      ledger.entries = new Map(
        entries
          .filter(({ title }) => title.startsWith(`${ledger.name} `))
          .map(({ id, title, values, archived }) => [id, { title, t: values.t ?? '', archived }]),
      );
    }
  }
}

/** The answer to a write; undefined where it is unknown whether the write was done. */
async function send(url: string, method: string, path: string, body?: unknown): Promise<Response | undefined> {
  const headers = {
    cookie: `comem-auth-token=${sessions.ann}`,
    authorization: `Bearer ${tokens.ann}`,
    'content-type': 'application/json',
  };
  let answer: Response;
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // A body that is cut was not acknowledged.
    answer = new Response(response.status === 204 ? null : await response.text(), { status: response.status });
  } catch {
    return undefined;
  }
  if (answer.status === 503) return undefined;
  expect(answer.status).toBeLessThan(300);
  return answer;
}
