/** The steps that undo a run: its writes from the last to the first, each compared with the current state. */

import { planCall } from '../../cli/bulk.ts';
import type { Context, PlannedCall } from '../../cli/context.ts';
import { amount } from '../../cli/words.ts';
import { type CreationMatch, matchCreated } from '../../client/creation.ts';
import { creationsOf, type RecordedWrite, type Run, type UnansweredWrite } from '../../config/history.ts';
import { deleteEntry } from '../../contract/entry-operations.ts';
import { operations } from '../../contract/index.ts';
import { deleteAttribute, deleteList, getList, listLists } from '../../contract/list-operations.ts';
import { listGrants, revokeGrant } from '../../contract/metric-operations.ts';
import type { MetricGrant } from '../../contract/metrics.ts';
import { Failure, listSome } from '../../core/errors.ts';
import { groupBy, isEmptyValue } from '../../core/same.ts';
import { type Changed, changesOf } from '../../domain/entries/changes.ts';
import type { Attribute } from '../../domain/entries/options.ts';
import { isEnded } from '../../domain/grants.ts';
import {
  applyPatch,
  attributeToRecreate,
  changedSince,
  creationKey,
  entryToRecreate,
  isCreation,
  isOpen,
  isUnanswered,
  type JsonObject,
  kindOf,
  listToRecreate,
  lower,
  nameOf,
  objectOf,
  objectsIn,
  renameIds,
  restoring,
  revertedBy,
  type Written,
} from '../../domain/undo.ts';
import { valueWriter } from '../entries/columns.ts';
import { allEntries } from '../entries/read.ts';
import { idsOf, whyNotUndone } from './read.ts';

/** @throws what reading the lists throws, except for lists that no longer exist */
export async function planUndo(ctx: Context, run: Run, runs: readonly Run[], force: boolean): Promise<UndoStep[]> {
  const state = createState(ctx);
  const unanswered = unansweredOf(runs, run, state);
  const ids = idsOf(runs);
  const steps: UndoStep[] = [];
  const known = new Map<string, Set<string>>();
  /** Existing resources were not created by a request that is yet to be sent. */
  const knownFor = async ({ op, input }: PlannedCall) => {
    const key = `${op.id} ${objectOf(input.params).listId}`;
    const resources = known.has(key) ? [] : await candidatesFor({ op: op.id, ...input }, state);
    const ids = known.get(key) ?? new Set(resources.map(({ id }) => lower(id)));
    known.set(key, ids);
    return ids;
  };
  for (const recorded of run.writes.toReversed().filter(isOpen)) {
    const write = renameIds(recorded, ids);
    const base = { n: write.n, what: nameOf(write), write };
    const why = whyNotUndone(write, ctx.settings);
    if (why !== undefined) steps.push({ ...base, outcome: 'impossible', error: why });
    else if (isUnanswered(write)) {
      const match = await unanswered.createdBy(recorded, write);
      steps.push({ ...base, ...(await undoneCreation(write, match, state, force)) });
    } else {
      const step = await checkStep(await stepOf(write, state, force), unanswered, force);
      const { call } = step;
      const creates = call !== undefined && step.outcome === 'recreated' && call.op.method === 'POST';
      steps.push({ ...base, ...step, ...(creates && { known: await knownFor(call) }) });
    }
  }
  return steps;
}

/** Tells whether a write is reverted now. Each list is read once, at the first question. */
export function createLookup(ctx: Context): (write: RecordedWrite) => Promise<boolean> {
  const state = createState(ctx);
  return async (write) => (await stepOf(write, state, false)).outcome === 'unchanged';
}

/** Undoes a creation that nobody answered. */
async function undoneCreation(write: RecordedWrite, match: CreationMatch, state: State, force: boolean): Promise<Step> {
  if (match.is === 'absent') return { outcome: 'unchanged', error: 'it was not created' };
  if (match.is === 'unclear') return { outcome: 'skipped', error: unclearText('created', match.candidates) };
  const created = { ...write, created: { id: String(match.resource.id) } };
  return await stepOf(created, state, force);
}

/** A resource that an earlier undo may have created again is looked up first. */
async function checkStep(step: Step, unanswered: Unanswered, force: boolean): Promise<Step> {
  const { call, outcome } = step;
  if (!call || outcome !== 'recreated' || call.op.method !== 'POST') return step;
  const match = await unanswered.sentBefore({ op: call.op.id, ...call.input });
  if (match === undefined) return step;
  if (match.is === 'present') return { outcome, ...resumeCreation(call, match.resource) };
  if (match.is === 'absent' || force) return { ...step, sentBefore: true };
  const error = `${unclearText('re-created', match.candidates)}; --force creates it all the same`;
  return { outcome: 'skipped', error };
}

/** Resources of an earlier undo are not created again; parts of a list or attribute may still be missing. */
function resumeCreation(call: PlannedCall, resource: JsonObject): Pick<Step, 'call' | 'created'> {
  const completing = completion(call, String(resource.id));
  return { created: { resource, by: call }, ...(completing && { call: completing }) };
}

/** The request that completes the resource `id`, whose creation was interrupted; undefined for an entry. */
function completion({ op, input }: PlannedCall, id: string): PlannedCall | undefined {
  const { attribute_type: _, ...body } = objectOf(input.body);
  if (op.id === 'createList') return { op: operations.updateList, input: { params: { listId: id }, body } };
  if (op.id !== 'createAttribute') return undefined;
  return { op: operations.updateAttribute, input: { params: objectOf(input.params), body: { ...body, id } } };
}

function stepOf(write: RecordedWrite, state: State, force: boolean): Promise<Step> | Step {
  const target = state.targetOf(kindOf(write), String(write.params?.listId));
  if (isCreation(write)) return removing(write, target, state, force);
  const [, verb] = /^(update|delete)(?:Entry|Attribute|List)$/.exec(String(write.op)) ?? [];
  if (verb === 'update') return restore(write, target, state, force);
  if (verb === 'delete') return recreating(write, target, state);
  return { outcome: 'impossible', error: 'comem cannot revert this' };
}

async function recreating(write: RecordedWrite, target: Target, state: State): Promise<Step> {
  const listId = String(write.params?.listId);
  const id = String(write.query?.entryId ?? write.query?.attributeId ?? listId);
  if (await target.find(id)) return { outcome: 'unchanged' };
  if (id !== listId && !(await state.list(listId))) return { outcome: 'skipped', error: 'its list no longer exists' };
  const call = await recreation(write, listId, state);
  const isBegun = write.halfway && (await target.find(write.halfway.id));
  return { outcome: 'recreated', call: (isBegun && completion(call, write.halfway?.id ?? '')) || call };
}

async function recreation({ op, query, before }: RecordedWrite, listId: string, state: State): Promise<PlannedCall> {
  const was = objectOf(before);
  const params = { listId };
  if (op === 'deleteEntry') {
    await state.targetOf('entry', listId).set(String(query?.entryId), was);
    return { op: operations.createEntry, input: { params, body: entryToRecreate(was) } };
  }
  if (op === 'deleteAttribute')
    return { op: operations.createAttribute, input: { params, body: attributeToRecreate(objectOf(was.attribute)) } };
  const list = objectOf(was.list);
  state.setList(listId, list, objectsIn(was.entries));
  const company = typeof list.company_id === 'string' ? { query: { companyId: list.company_id } } : {};
  return { op: operations.createList, input: { body: listToRecreate(list), ...company } };
}

async function restore(write: RecordedWrite, target: Target, state: State, force: boolean): Promise<Step> {
  const listId = String(write.params?.listId);
  const isList = write.op === 'updateList';
  const id = isList ? listId : String(objectOf(write.body).id);
  const current = await target.find(id);
  if (!current) return { outcome: 'skipped', error: 'it no longer exists' };
  const { body, changed } = restoring(revertedBy(write), current, force);
  if (changed.length > 0) return changedStep(changed, 'reverts');
  if (body === undefined) return { outcome: 'unchanged' };
  const op = operations[write.op as 'updateEntry' | 'updateList' | 'updateAttribute'];
  await target.set(id, applyPatch(current, body));
  const attributes = write.op === 'updateEntry' ? await state.attributes(listId) : [];
  const input = { params: write.params ?? {}, body: { ...body, ...(!isList && { id }) } };
  return { outcome: 'restored', restored: { attributes, changes: changesOf(current, body) }, call: { op, input } };
}

export interface UndoStep {
  n: number;
  /** `entry "Acme"`. */
  what: string;
  write: RecordedWrite;
  /** The first request; undefined when nothing is sent. */
  call?: PlannedCall;
  /** It was sent before, and what came of it is not known. */
  sentBefore?: boolean;
  /** The resource that an earlier undo created, and its request. */
  created?: { resource: JsonObject; by: PlannedCall };
  /** Ids, in lower case, of what was there before, and of what this undo has created since. */
  known?: Set<string>;
  outcome: 'restored' | 'recreated' | 'deleted' | 'revoked' | 'unchanged' | 'skipped' | 'impossible';
  /** The values that it restores. */
  restored?: { attributes: readonly Attribute[]; changes: readonly Changed[] };
  error?: string;
}

/** The texts of the values that are restored, by their step; numbers of one attribute have the same decimals. */
export function restoredTexts(steps: readonly UndoStep[]): Map<UndoStep, string> {
  const texts = new Map<UndoStep, string>();
  for (const ofList of groupBy(steps, ({ write }) => String(write.params?.listId)).values()) {
    // Only steps of entries have them.
    const attributes = ofList.find(({ restored }) => restored?.attributes.length)?.restored?.attributes ?? [];
    const { changeText } = valueWriter(
      attributes,
      ofList.flatMap(({ restored }) => restored?.changes ?? []),
    );
    for (const step of ofList) if (step.restored) texts.set(step, step.restored.changes.map(changeText).join('; '));
  }
  return texts;
}

type Step = Pick<UndoStep, 'call' | 'sentBefore' | 'created' | 'outcome' | 'restored' | 'error'>;

async function removing(write: RecordedWrite, target: Target, state: State, force: boolean): Promise<Step> {
  const id = String(write.created?.id);
  const resource = await target.find(id);
  if (!resource) return { outcome: 'unchanged' };
  if (write.op === 'createGrant') return { outcome: 'revoked', call: target.removal(id) };
  const changed = [...changedSince(write, resource), ...(await contentOf(write, resource, state))];
  if (changed.length > 0 && !force) return changedStep(changed, 'deletes');
  await target.set(id, undefined);
  return { outcome: 'deleted', call: target.removal(id) };
}

/** The content of a created list or attribute that the run did not create. */
async function contentOf({ op, params, created }: RecordedWrite, resource: JsonObject, state: State) {
  if (op === 'createEntry') return [];
  const entries = (count: number) => amount(count, 'entry', 'entries');
  if (op === 'createAttribute') {
    const all = await state.targetOf('entry', String(params?.listId)).all();
    const used = all.filter(({ values }) => !isEmptyValue(objectOf(values)[String(resource.slug)])).length;
    return used > 0 ? [`values in ${entries(used)}`] : [];
  }
  const added = objectsIn(resource.list_attributes).length - (created?.attributes ?? 0);
  const { length } = await state.targetOf('entry', String(created?.id)).all();
  return [...(added > 0 ? [amount(added, 'attribute', 'attributes')] : []), ...(length > 0 ? [entries(length)] : [])];
}

function changedStep(changed: readonly string[], does: 'deletes' | 'reverts'): Step {
  return { outcome: 'skipped', error: `changed since then: ${changed.join(', ')}; --force ${does} it anyway` };
}

type Sent = Pick<Written, 'op' | 'body'> & { params?: JsonObject | undefined };

type Unanswered = ReturnType<typeof unansweredOf>;

/** Finds what creations without an answer created. */
function unansweredOf(runs: readonly Run[], { number }: Run, state: State) {
  const { unanswered, known: claimed } = creationsOf(runs);
  const byKey = new Map<string, UnansweredWrite[]>();
  for (const write of unanswered) byKey.set(creationKey(write), [...(byKey.get(creationKey(write)) ?? []), write]);
  const unnoted = unnotedOf(runs, number);
  const match = async (sent: readonly UnansweredWrite[], call: Sent): Promise<CreationMatch> => {
    const [first] = sent;
    if (!first) return { is: 'absent' };
    const resources = await candidatesFor(call, state);
    const sentAt = sent
      .map((write) => write.sentAt)
      .sort()
      .at(-1);
    const result = matchCreated({ ...call, at: first.at, sentAt }, { resources, claimed, count: sent.length });
    // The next one of the same content is another resource.
    if (result.is === 'present') claimed.add(lower(result.resource.id));
    return result;
  };
  return {
    /** The resource that a creation of the run created. `renamed`: the same with current ids. */
    async createdBy(write: RecordedWrite, renamed: RecordedWrite) {
      const same = byKey.get(creationKey(write)) ?? [];
      const result = await match(same, renamed);
      if (result.is === 'present')
        same.splice(
          same.findIndex((other) => other.run === number && other.n === write.n),
          1,
        );
      return result;
    },
    /** The resource that an earlier undo created with the same request; undefined when none sent it without an answer. */
    async sentBefore(call: Sent): Promise<CreationMatch | undefined> {
      // A process that was killed may have created it without a note in the journal.
      const ids = new Set(unnoted.get(creationKey(call)));
      const noted = ids.size > 0 ? await candidatesFor(call, state) : [];
      const resource = noted.find(({ id }) => ids.has(lower(id)));
      if (resource) {
        unnoted.set(
          creationKey(call),
          [...ids].filter((id) => id !== lower(resource.id)),
        );
        return { is: 'present', resource };
      }
      const same = byKey.get(creationKey(call))?.filter(({ run }) => run > number) ?? [];
      return same.length === 0 ? undefined : match(same, call);
    },
  };
}

/** Ids that later undos created without a note of the ids that they replace, by content. */
function unnotedOf(runs: readonly Run[], number: number): Map<string, string[]> {
  const noted = new Set(runs.flatMap(({ ids }) => ids.map(([, created]) => created.toLowerCase())));
  const ids = new Map<string, string[]>();
  for (const run of runs) {
    if (run.number < number || run.command !== 'undo') continue;
    for (const write of run.writes) {
      const id = write.created?.id.toLowerCase();
      if (id === undefined || noted.has(id) || write.undone) continue;
      ids.set(creationKey(write), [...(ids.get(creationKey(write)) ?? []), id]);
    }
  }
  return ids;
}

/** The resources among which a creation can be found. */
function candidatesFor({ op, params }: Sent, state: State): Promise<readonly JsonObject[]> {
  return state.targetOf(kindOf({ op }), String(params?.listId)).all();
}

/** `whether it was re-created is unknown: "Acme" (ID) may be it`. */
function unclearText(done: string, candidates: readonly JsonObject[]): string {
  const names = candidates.map((resource) => {
    const name = resource.title ?? resource.name;
    return typeof name === 'string' ? `"${name}" (${resource.id})` : String(resource.id);
  });
  return `whether it was ${done} is unknown: ${listSome(names, 3)} may be it`;
}

export type State = ReturnType<typeof createState>;

/** The resources of one kind, as undo finds, changes and removes them. */
export interface Target {
  /** The resources of the API, without planned changes of lists. */
  all(): Promise<readonly JsonObject[]>;
  find(id: string): Promise<JsonObject | undefined>;
  /** Undefined: it will be deleted. */
  set(id: string, resource: JsonObject | undefined): Promise<void>;
  removal(id: string): PlannedCall;
}

const byId = <T extends { id?: unknown }>(resources: readonly T[]) =>
  new Map(resources.map((resource) => [lower(resource.id), resource]));

function change(resources: Map<string, JsonObject>, id: string, resource: JsonObject | undefined): void {
  if (resource) resources.set(lower(id), resource);
  else resources.delete(lower(id));
}

function createState(ctx: Context) {
  const lists = new Map<string, Promise<JsonObject | undefined>>();
  const entries = new Map<string, Promise<Map<string, JsonObject>>>();
  let grants: Promise<Map<string, MetricGrant>> | undefined;
  let summaries: Promise<JsonObject[]> | undefined;
  const once = <T>(known: Map<string, Promise<T>>, listId: string, read: () => Promise<T>): Promise<T> => {
    const reading = known.get(listId) ?? read();
    known.set(listId, reading);
    return reading;
  };
  const list = (listId: string) =>
    once(lists, listId, async (): Promise<JsonObject | undefined> => {
      try {
        return { ...(await (await ctx.client()).call(getList, { params: { listId } })) };
      } catch (error) {
        if (error instanceof Failure && error.kind === 'notFound') return undefined;
        throw error;
      }
    });
  const entriesById = (listId: string) =>
    once(entries, listId, async () => byId((await list(listId)) ? await allEntries(ctx, listId) : []));
  const attributes = async (listId: string) => objectsIn((await list(listId))?.list_attributes);
  const grantsById = () => {
    grants ??= ctx.client().then(async (client) => byId(await client.call(listGrants)));
    return grants;
  };
  /** @param all the entries of a list that is created again, or none of one that will be deleted */
  const setList = (listId: string, after: JsonObject | undefined, all?: readonly JsonObject[]) => {
    lists.set(listId, Promise.resolve(after));
    if (all) entries.set(listId, Promise.resolve(byId(all)));
  };
  const targetOf = (kind: string | undefined, listId: string): Target => {
    const params = { listId };
    switch (kind) {
      case 'entry':
        return {
          all: async () => [...(await entriesById(listId)).values()],
          find: async (id) => (await entriesById(listId)).get(lower(id)),
          set: async (id, entry) => change(await entriesById(listId), id, entry),
          removal: (entryId) => planCall(deleteEntry, { params, query: { entryId } }),
        };
      case 'attribute':
        return {
          all: () => attributes(listId),
          find: async (id) => byId(await attributes(listId)).get(lower(id)),
          async set(id, attribute) {
            const [current, all] = [await list(listId), byId(await attributes(listId))];
            change(all, id, attribute);
            if (current) current.list_attributes = [...all.values()];
          },
          removal: (attributeId) => planCall(deleteAttribute, { params, query: { attributeId } }),
        };
      case 'grant':
        return {
          all: async () => [...(await grantsById()).values()],
          async find(id) {
            const grant = (await grantsById()).get(lower(id));
            return grant && !isEnded(grant) ? grant : undefined;
          },
          set: async () => {},
          removal: (id) => planCall(revokeGrant, { params: { id } }),
        };
      default:
        return {
          all() {
            summaries ??= ctx.client().then((client) => client.call(listLists));
            return summaries;
          },
          find: list,
          set: async (id, after) => setList(id, after, after ? undefined : []),
          removal: (id) => planCall(deleteList, { params: { listId: id } }),
        };
    }
  };
  return { list, attributes, setList, targetOf };
}
