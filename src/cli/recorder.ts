/**
 * The client of a command that writes: every write goes into the journal before it is sent, a PATCH and a DELETE with
 * the previous state if the command fetched it. All requests pass through here, so commands need no code for undo.
 */

import type { Reply } from '../client/answer.ts';
import type { Client, RawRequest } from '../client/client.ts';
import { createReadState, type Effort, keepValues, type OperationInput, preImages } from '../client/undo.ts';
import { creationsOf, type Journal, openJournal, readRuns, settleCreation } from '../config/history.ts';
import type { Settings } from '../config/settings.ts';
import type { Paths } from '../config/store.ts';
import { routesTo } from '../contract/index.ts';
import type { Operation } from '../contract/operation.ts';
import { Failure, usage, wrongCompany } from '../core/errors.ts';
import { parseJson } from '../core/json.ts';
import { sameValue } from '../core/same.ts';
import { createdResource, creationKey, isCreation, type JsonObject, requestKey, whyNot } from '../domain/undo.ts';
import type { Output } from '../output/write/create-output.ts';
import type { Context, Runtime, WriteLog } from './context.ts';
import type { AnyCommand } from './define.ts';
import { asTyped } from './runtime.ts';

interface RecorderParts {
  /** `entries update`. */
  command: string;
  /** The list as typed. */
  list: string | undefined;
  /** The number of the run that this one reverts. */
  undoes: number | undefined;
  settings: Settings;
  folders: Paths;
  runtime: Pick<Runtime, 'now'>;
  out: Pick<Output, 'warn'>;
  writes: WriteLog;
}

type Outcome = Parameters<Journal['settle']> extends [number, ...infer Rest] ? Rest : never;

/** Wraps the client so that each write is journalled. Closing it closes the journal too. */
export function recording(client: Client, parts: RecorderParts): Client {
  const { settings } = parts;
  const fetched = createReadState();
  const changeEntry = keepValues(client, fetched, (text) => parts.out.warn(text));
  const effort: Effort = settings.keepUndo ? 'any' : settings.input ? 'small' : 'none';
  let journal: Journal | undefined | false;
  /** Unanswered creations of this run, by content. */
  const unanswered = new Map<string, number[]>();
  /** Changes whose response does not prove them, by request, and their outcome if a later read does. */
  const unproven = new Map<string, { n: number; outcome: 'done' | 'unchanged' }>();
  let earlier: Map<string, { number: number; n: number }[]> | undefined;

  const open = (): Journal | undefined => {
    if (journal === undefined) journal = openOrWarn(parts) ?? false;
    return journal || undefined;
  };

  /** Sends the request, with a journal line before and after it. */
  async function recordWrite<T extends Reply<unknown>>(
    op: Operation | undefined,
    { input, ...request }: { method: string; path: string; input: OperationInput },
    send: () => Promise<T>,
  ): Promise<T> {
    if (settings.readonly) throw usage(`profile "${settings.profile.value}" is read-only, and this would write`);
    const preImage = request.method === 'PATCH' || request.method === 'DELETE' ? before(op, input) : {};
    const image = preImage instanceof Promise ? await preImage : preImage;
    const file = open();
    const sentAt = isCreation({ op: op?.id }) ? parts.runtime.now().toISOString() : undefined;
    const n = file?.write({ ...request, op: op?.id, ...input, ...image, sentAt });
    const settle = (...outcome: Outcome) => n !== undefined && file?.settle(n, ...outcome);
    try {
      const reply = await count(parts.writes, input, send);
      const { data } = reply;
      const ok = isDone(reply);
      const created = createdResource(op?.id, data);
      if (ok) settle('done', { after: serverChanges(input.body, data), created });
      else settle('failed');
      const done = { ...request, op: op?.id, ...image, created, outcome: 'done' as const };
      if (ok && file && whyNot(done) === undefined) parts.writes.revertible = (parts.writes.revertible ?? 0) + 1;
      return reply;
    } catch (error) {
      // Nobody knows whether a write was carried out if its answer is missing or proves nothing.
      const status = error instanceof Failure ? (error.status ?? 500) : 500;
      if (error instanceof Failure && error.code === wrongCompany) settle('done', { elsewhere: true });
      else {
        const isRefused = status >= 400 && status < 500;
        if (isRefused) settle('failed');
        if (n !== undefined && isCreation({ op: op?.id })) {
          if (!isRefused) add(unanswered, creationKey({ op: op?.id, ...input }), n);
        } else if (n !== undefined)
          unproven.set(requestKey({ op: op?.id, ...input }), { n, outcome: isRefused ? 'unchanged' : 'done' });
      }
      throw error;
    }
  }

  const recorder: Client = {
    ...client,
    async call(op, input) {
      return (await recorder.send(op, input)).data;
    },
    async send(op, input, options) {
      const parts = (input ?? {}) as OperationInput;
      const path = pathOf(op, parts);
      // The id tells the operation, which the types do not follow.
      const send = (): ReturnType<typeof client.send<typeof op>> =>
        op.id === 'updateEntry' ? (changeEntry(input as never) as never) : client.send(op, input, options);
      const reply =
        op.method === 'GET' ? await send() : await recordWrite(op, { method: op.method, path, input: parts }, send);
      if (!options?.asReceived) fetched.take(op, parts, reply.data);
      return reply;
    },
    async *pages(op, input, options) {
      const parts = (input ?? {}) as OperationInput;
      for await (const page of client.pages(op, input, options)) {
        fetched.take(op, parts, page);
        yield page;
      }
      const { archived, ...narrowing } = parts.query ?? {};
      const all = options?.limit === undefined && !options?.offset && Object.keys(narrowing).length === 0;
      if (op.id === 'listEntries' && archived === true && all) fetched.takeAll(String(parts.params?.listId));
    },
    async request(request) {
      if (['GET', 'HEAD', 'OPTIONS'].includes(request.method)) return client.request(request);
      const { op, input, path } = parsedRequest(request);
      return recordWrite(op, { method: request.method, path, input }, () => client.request(request));
    },
    answered(op, input, data) {
      const operationInput = (input ?? {}) as OperationInput;
      const created = createdResource(op.id, data);
      if (!created) {
        const write = unproven.get(requestKey({ op: op.id, ...operationInput }));
        if (write && journal) journal.settle(write.n, write.outcome);
        return;
      }
      const key = creationKey({ op: op.id, ...operationInput });
      const n = unanswered.get(key)?.shift();
      if (n !== undefined && journal) {
        journal.settle(n, 'done', { after: serverChanges(operationInput.body, data), created });
        parts.writes.done += 1;
        parts.writes.revertible = (parts.writes.revertible ?? 0) + 1;
      } else {
        earlier ??= unansweredBefore(parts);
        const write = earlier.get(key)?.shift();
        if (write) settleCreation(parts.folders, settings.profile.value, write.number, write.n, created);
      }
      fetched.take(op, operationInput, data);
    },
    async close() {
      if (journal) journal.close();
      journal = false;
      await client.close();
    },
  };
  const before = preImages(recorder, fetched, effort);
  return recorder;
}

function pathOf({ path }: Operation, { params }: OperationInput): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => String(params?.[name] ?? ''));
}

function add<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

/** Unanswered creations of earlier runs, by content. */
function unansweredBefore({ folders, settings }: RecorderParts): Map<string, { number: number; n: number }[]> {
  const unanswered = new Map<string, { number: number; n: number }[]>();
  for (const write of creationsOf(readRuns(folders, settings.profile.value)).unanswered) {
    add(unanswered, creationKey(write), { number: write.run, n: write.n });
  }
  return unanswered;
}

/** The most ids that a message names. */
const maxIds = 10;

/** Counts the writes for the messages of later failures. A request that never left this machine is not counted. */
async function count<T extends Reply<unknown>>(
  writes: WriteLog,
  input: OperationInput,
  send: () => Promise<T>,
): Promise<T> {
  try {
    const reply = await send();
    writes.sent += 1;
    if (isDone(reply)) {
      writes.done += 1;
      const id = idIn(reply.data) ?? idIn(input.body) ?? lastOf(input.query) ?? lastOf(input.params);
      if (typeof id === 'string' && writes.ids.length < maxIds) writes.ids.push(id);
    }
    return reply;
  } catch (error) {
    const isSent = error instanceof Failure && error.kind !== 'usage' && error.request !== undefined;
    if (isSent) writes.sent += 1;
    throw error;
  }
}

function isDone({ status }: Reply<unknown>): boolean {
  return status >= 200 && status < 300;
}

function idIn(data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return undefined;
  return Reflect.get(data, 'id') ?? idIn(Reflect.get(data, 'list')) ?? idIn(Reflect.get(data, 'grant'));
}

/** `entryId` of a deletion: the resource is named last. */
function lastOf(fields: JsonObject | undefined): unknown {
  return Object.entries(fields ?? {}).findLast(([name]) => /id$/i.test(name) && name !== 'companyId')?.[1];
}

/** Opens the journal. Failing to is a warning, and with --keep-undo an error. */
function openOrWarn({ command, list, undoes, settings, folders, runtime, out }: RecorderParts): Journal | undefined {
  try {
    return openJournal(folders, settings.profile.value, {
      version: 1,
      at: runtime.now().toISOString(),
      command,
      list,
      undoes,
      baseUrl: settings.baseUrl.value ?? '',
      company: settings.companies.value[0],
    });
  } catch (error) {
    const says = `cannot write the journal in ${folders.state}: ${(error as Error).message}`;
    if (settings.keepUndo)
      throw usage(`${says}; nothing was written`, 'leave out --keep-undo to write without a journal');
    out.warn(`${says}; this cannot be undone`);
    return undefined;
  }
}

/** The fields of the answer that differ from what was sent, so that undo can tell what others changed since. */
function serverChanges(body: unknown, data: unknown): unknown {
  if (typeof body !== 'object' || body === null || typeof data !== 'object' || data === null) return undefined;
  const fields: [string, unknown][] = [];
  for (const [name, sent] of Object.entries(body)) {
    const got: unknown = Object.hasOwn(data, name) ? Reflect.get(data, name) : undefined;
    if (got === undefined) continue;
    const inner = name === 'values' ? serverChanges(sent, got) : undefined;
    if (name === 'values' ? inner !== undefined : !sameValue(sent, got)) fields.push([name, inner ?? got]);
  }
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

/** The operation of a request of `comem api`, and its input. */
function parsedRequest({ method, path, body }: RawRequest): {
  op: Operation | undefined;
  input: OperationInput;
  path: string;
} {
  const [bare = '', query = ''] = path.split('?');
  const route = routesTo(bare).find(({ op }) => op.method === method);
  const segments = Object.entries(route?.params ?? {});
  const params: JsonObject = Object.fromEntries(segments.map(([name, text]) => [name, decodeURIComponent(text)]));
  const parts = { params, query: Object.fromEntries(new URLSearchParams(query)) as JsonObject };
  return { op: route?.op, input: body === undefined ? parts : { ...parts, body: parseJson(body) }, path: bare };
}

/** On a terminal, after a command has written: how to undo it. */
export function printUndoHint(
  { settings, out }: Context,
  { reverts }: AnyCommand,
  { done, revertible }: WriteLog,
): void {
  if (reverts || revertible !== done) return;
  out.aside(`undo it with ${asTyped(settings, 'comem undo')}`);
}
