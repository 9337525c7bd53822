/** Sends what undoing a run comes to, in order; entries several at a time, lists and attributes alone. */
import type { Client } from '../../client/client.ts';
import { operations } from '../../contract/index.ts';
import { limiter } from '../../domain/in-order.ts';
import { attributeAgain, entryAgain } from '../../domain/undo.ts';
import { Failure } from '../../errors.ts';
import type { PlannedCall } from '../context.ts';
import type { UndoStep } from './plan.ts';
import type { Thing } from './seen.ts';

export interface UndoRow {
  write: number;
  what: string;
  outcome: UndoStep['outcome'] | 'failed';
  /** Of what was restored or made anew. */
  id: string | null;
  error: string | null;
}

export interface Undone {
  row: UndoRow;
  failure?: Failure;
}

const inFlight = 4;

/** The results in the order of the steps. */
export async function execute(
  client: Client,
  steps: readonly UndoStep[],
  progress: (done: number) => void,
): Promise<Undone[]> {
  const slot = limiter(inFlight);
  const ids = new Map<string, string>();
  const chains = new Map<string, Promise<unknown>>();
  const results: Promise<Undone>[] = [];
  let done = 0;
  let stopped: Failure | undefined;
  const run = async (step: UndoStep): Promise<Undone> => {
    const { n: write, what, outcome, error = null } = step;
    if (!step.call) return { row: { write, what, outcome, id: null, error } };
    if (stopped) return { row: { write, what, outcome: 'skipped', id: null, error: `not tried: ${stopped.message}` } };
    try {
      const { id, notes } = await send(client, step, step.call, ids);
      return { row: { write, what, outcome, id, error: notes.length > 0 ? notes.join('; ') : error } };
    } catch (failure) {
      if (!(failure instanceof Failure) || failure.kind === 'bug') throw failure;
      if (failure.kind === 'credential' || failure.kind === 'interrupted') stopped ??= failure;
      return { row: { write, what, outcome: 'failed', id: null, error: failure.message }, failure };
    } finally {
      done += 1;
      progress(done);
    }
  };
  for (const step of steps) {
    const ofEntry = step.write.op === 'updateEntry' || step.write.op === 'deleteEntry';
    if (!ofEntry) {
      await Promise.all(results);
      results.push(Promise.resolve(await run(step)));
      continue;
    }
    // What was done to one entry is taken back one after the other.
    const key = entryOf(step);
    const before = chains.get(key) ?? Promise.resolve();
    const result = before.then(() => slot(() => run(step)));
    chains.set(key, result);
    results.push(result);
  }
  return Promise.all(results);
}

function entryOf({ write }: UndoStep): string {
  return String(write.query?.entryId ?? (Object(write.body) as Thing).id).toLowerCase();
}

/** What was made anew has a new id, and writes before it meant the old one. */
function withNewIds({ op, input }: PlannedCall, ids: ReadonlyMap<string, string>): PlannedCall {
  const renamed = (value: unknown) => ids.get(String(value).toLowerCase()) ?? value;
  const params = Object(input.params) as Thing;
  const body = Object(input.body) as Thing;
  return {
    op,
    input: {
      ...input,
      ...(params.listId === undefined ? {} : { params: { ...params, listId: renamed(params.listId) } }),
      ...(body.id === undefined ? { body } : { body: { ...body, id: renamed(body.id) } }),
    },
  } as unknown as PlannedCall;
}

async function send(client: Client, step: UndoStep, call: PlannedCall, ids: Map<string, string>) {
  const { op, input } = withNewIds(call, ids);
  const made = Object(await client.call(op, input)) as Thing;
  checkConfig(Object(input.body) as Thing, made);
  const id = typeof made.id === 'string' ? made.id : null;
  const { write } = step;
  const before = Object(write.before) as Thing;
  const old = write.op === 'deleteList' ? write.params?.listId : (write.query?.entryId ?? write.query?.attributeId);
  if (old !== undefined && id !== null) ids.set(String(old).toLowerCase(), id);
  const notes: string[] = [];
  if (write.op === 'deleteAttribute') {
    const listId = String((Object(input.params) as Thing).listId);
    const values = Array.isArray(before.values) ? (before.values as [unknown, unknown][]) : [];
    notes.push(...(await putValues(client, listId, made, values, ids)));
  }
  if (write.op === 'deleteList' && id !== null) notes.push(...(await fillList(client, id, before, ids)));
  return { id, notes };
}

/** The API clears no bound and no currency: a PATCH that added one cannot be taken back whole. */
function checkConfig(sent: Thing, made: Thing): void {
  if (sent.id === undefined || sent.config === undefined || made.config === undefined) return;
  const kept = Object.keys(Object(made.config)).filter((name) => !Object.hasOwn(Object(sent.config), name));
  if (kept.length === 0) return;
  throw new Failure('rejected', `the rest came back, but the API cannot take ${kept.join(', ')} away again`);
}

/** The values of a deleted attribute into the entries that had them. */
async function putValues(
  client: Client,
  listId: string,
  attribute: Thing,
  values: readonly [unknown, unknown][],
  ids: ReadonlyMap<string, string>,
): Promise<string[]> {
  const slug = String(attribute.slug);
  const slot = limiter(inFlight);
  const failures = await Promise.all(
    values.map(([old, value]) =>
      slot(() => {
        const body = { id: ids.get(String(old).toLowerCase()) ?? String(old), values: { [slug]: value } };
        return attempt(client.call(operations.updateEntry, { params: { listId }, body: body as never }));
      }),
    ),
  );
  return lost(failures, values.length, 'value');
}

/** Attributes and entries of a list that was made anew. */
async function fillList(client: Client, listId: string, before: Thing, ids: Map<string, string>): Promise<string[]> {
  const params = { listId };
  const attributes = Array.isArray(Object(before.list).list_attributes)
    ? ((before.list as Thing).list_attributes as Thing[])
    : [];
  const slugs = new Map<string, string>();
  for (const attribute of attributes) {
    const made = await client.call(operations.createAttribute, { params, body: attributeAgain(attribute) as never });
    slugs.set(String(attribute.slug), made?.slug ?? String(attribute.slug));
    if (made?.id !== undefined) ids.set(String(attribute.id).toLowerCase(), made.id);
  }
  const entries = Array.isArray(before.entries) ? (before.entries as Thing[]) : [];
  const slot = limiter(inFlight);
  const failures = await Promise.all(
    entries.map((entry) =>
      slot(async () => {
        const body = entryAgain(entry);
        const values = Object.entries(Object(body.values) as Thing).flatMap(([slug, value]) =>
          slugs.has(slug) ? [[slugs.get(slug) ?? slug, value] as const] : [],
        );
        const call = client.call(operations.createEntry, {
          params,
          body: { ...body, values: Object.fromEntries(values) } as never,
        });
        return attempt(
          call.then((made) => {
            if (made?.id !== undefined) ids.set(String(entry.id).toLowerCase(), made.id);
          }),
        );
      }),
    ),
  );
  const renamed = [...slugs].filter(([old, made]) => old !== made).map(([old, made]) => `${old} is now ${made}`);
  return [...lost(failures, entries.length, 'entry'), ...renamed];
}

async function attempt(call: Promise<unknown>): Promise<Failure | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (error instanceof Failure && error.kind !== 'bug' && error.kind !== 'interrupted') return error;
    throw error;
  }
}

function lost(failures: readonly (Failure | undefined)[], all: number, one: string): string[] {
  const found = failures.filter((failure) => failure !== undefined);
  const many = one === 'entry' ? 'entries' : `${one}s`;
  return found[0] ? [`${found.length} of ${all} ${many} did not come back: ${found[0].message}`] : [];
}
