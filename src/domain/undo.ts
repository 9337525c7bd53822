/** The effect of a recorded write, and the request that reverts it. Pure. */
import { propertyOf, stringifyJson } from '../core/json.ts';
import { sameValue } from '../core/same.ts';

/** A list, attribute, entry or grant, as JSON. */
export type JsonObject = Record<string, unknown>;

/** The fields of a JSON object; none for any other value. */
export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}

/** The JSON objects of an array; none of any other value. */
export function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

/** The effect of a write, from its response. `unchanged`: it was refused because nothing was left to do. */
export type WriteOutcome = 'done' | 'unchanged' | 'failed';

/** A write of the journal, as far as undo needs it. */
export interface Written {
  op?: string | undefined;
  method: string;
  path: string;
  params?: JsonObject;
  query?: JsonObject;
  body?: unknown;
  before?: unknown;
  why?: string | undefined;
  outcome?: WriteOutcome | undefined;
  after?: unknown;
  created?: Created | undefined;
  elsewhere?: true;
  undone?: true;
  /** It is re-created, but incomplete. */
  halfway?: PartialRecreation;
}

export interface Created {
  id: string;
  /** Attributes that a list got from its template. */
  attributes?: number;
}

export interface PartialRecreation {
  id: string;
  missing: string;
}

/** Operations that create something that can be deleted, and what messages call it. */
const creations: Record<string, string> = {
  createEntry: 'entry',
  createAttribute: 'attribute',
  createList: 'list',
  instantiateTemplate: 'list',
  createGrant: 'grant',
};

export function isCreation({ op }: Pick<Written, 'op'>): boolean {
  return op !== undefined && Object.hasOwn(creations, op);
}

/** Whether it may have created something that no answer names. */
export function isUnanswered({ op, created, outcome }: Pick<Written, 'op' | 'created' | 'outcome'>): boolean {
  return isCreation({ op }) && created === undefined && outcome !== 'failed';
}

/** The created resource of a response; undefined without an id. */
export function createdResource(op: string | undefined, data: unknown): Created | undefined {
  if (!isCreation({ op })) return undefined;
  const resource = objectOf(data);
  const { id, list_attributes_count: attributes } = objectOf(resource.list ?? resource.grant ?? resource);
  if (typeof id !== 'string') return undefined;
  return { id, ...(typeof attributes === 'number' && attributes > 0 && { attributes }) };
}

/** Creations of one key have the same content, perhaps in another position. */
export function creationKey({
  op,
  params,
  body,
}: Pick<Written, 'op' | 'body'> & { params?: JsonObject | undefined }): string {
  const { position: _, ...content } = objectOf(body);
  return stringifyJson([op, params?.listId ?? null, content]);
}

/** Requests of one key are the same. */
export function requestKey({ op, params, query, body }: Pick<Written, 'op' | 'params' | 'query' | 'body'>): string {
  return stringifyJson([op, params, query, body]);
}

/** `3 entries changed, 1 list deleted, 1 without an answer, 2 failed`. */
export function summaryOf(writes: readonly Written[]): string {
  const counts = new Map<string, number>();
  const others = { unchanged: 0, 'without an answer': 0, failed: 0 };
  const created = new Set(writes.flatMap((write) => (write.created ? requestKey(write) : [])));
  for (const write of writes) {
    const { op, method, outcome } = write;
    if (outcome === 'done') {
      const key = kindOf(write) === undefined ? method : (op ?? method);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    } else if (outcome !== undefined) others[outcome] += 1;
    // A request that was sent again counts once.
    else if (!isCreation(write) || !created.has(requestKey(write))) others['without an answer'] += 1;
  }
  return [
    ...[...counts].map(([key, count]) => `${count} ${deedText(key, count)}`),
    ...Object.entries(others).flatMap(([words, count]) => (count > 0 ? `${count} ${words}` : [])),
  ].join(', ');
}

/** `entries changed`: what so many writes of an operation do. */
function deedText(op: string, count: number): string {
  const kind = kindOf({ op });
  if (kind === undefined) return `${op} request${count === 1 ? '' : 's'}`;
  const deed = isCreation({ op }) ? 'created' : ({ d: 'deleted', r: 'revoked' }[op.charAt(0)] ?? 'changed');
  return `${count === 1 ? kind : kind.replace(/y$/, 'ie').concat('s')} ${deed}`;
}

/** `entry`: what a write is about; undefined for a request that the API description does not know. */
export function kindOf({ op }: Pick<Written, 'op'>): string | undefined {
  if (op !== undefined && Object.hasOwn(creations, op)) return creations[op];
  return /(Entry|Attribute|List|Grant)$/.exec(op ?? '')?.[1]?.toLowerCase();
}

/** The resource of a write in messages: `entry "Acme"`. */
export function nameOf(write: Written): string {
  const { path, params, query, body, before, created } = write;
  const was = objectOf(isCreation(write) ? body : before);
  const resource = objectOf(was.list ?? was.attribute ?? was);
  const kind = kindOf(write);
  if (kind === undefined) return path;
  const name = resource.title ?? resource.name ?? resource.slug;
  const knownId =
    created?.id ?? query?.entryId ?? query?.attributeId ?? objectOf(body).id ?? params?.id ?? params?.listId;
  return typeof name === 'string' && name !== '' ? `${kind} "${name}"` : `${kind} ${String(resource.id ?? knownId)}`;
}

/** Why a write cannot be reverted; undefined when it can. */
export function whyNot({ op, method, before, body, why, created, elsewhere }: Written): string | undefined {
  if (elsewhere) return 'it went to another company, where comem reverts nothing';
  if (isCreation({ op })) {
    const isNameless = created === undefined && op === 'instantiateTemplate' && objectOf(body).name === undefined;
    return isNameless ? 'whether it was created is unknown' : undefined;
  }
  if (method !== 'PATCH' && method !== 'DELETE') return 'comem cannot revert this request';
  if (op === 'revokeGrant') return 'a revocation cannot be reverted';
  return before === undefined ? (why ?? 'the previous state was not read') : undefined;
}

export function partialText({ id, missing }: PartialRecreation): string {
  return `re-created as ${id}, but without ${missing}; the next undo continues it`;
}

/** Current ids by old ones, in lower case: a re-created resource may have been re-created again. */
export function currentIds(pairs: Iterable<readonly [string, string]>): Map<string, string> {
  const next = new Map([...pairs].map(([old, id]) => [lower(old), id]));
  const currentId = (id: string): string => {
    // At most one step for each id, in case the journal contains a circle.
    let now = id;
    for (let left = next.size; left > 0; left -= 1) {
      const later = next.get(lower(now));
      if (later === undefined) break;
      now = later;
    }
    return now;
  };
  return new Map([...next].map(([old, id]) => [old, currentId(id)]));
}

/** The write with the current ids of what it changed. What it deleted keeps its own. */
export function renameIds<W extends Written>(write: W, ids: ReadonlyMap<string, string>): W {
  const { op, params, body, created } = write;
  const within = (resource: unknown, name: string): JsonObject => {
    const now = ids.get(lower(objectOf(resource)[name]));
    return { ...objectOf(resource), ...(now !== undefined && { [name]: now }) };
  };
  return {
    ...write,
    ...(params && op !== 'deleteList' && { params: within(params, 'listId') }),
    ...(body !== undefined && !isCreation(write) && { body: within(body, 'id') }),
    ...(created && { created: { ...created, id: ids.get(lower(created.id)) ?? created.id } }),
  };
}

export function lower(id: unknown): string {
  return String(id).toLowerCase();
}

/** Whether undo applies to the write: it may have happened, and was not reverted. */
export function isOpen(write: Written): boolean {
  return write.outcome !== 'failed' && write.outcome !== 'unchanged' && write.undone !== true;
}

/** One field that a PATCH changed: its value before, and after. */
interface Reverted {
  name: string;
  /** For `values`: the slug. */
  slug?: string;
  was: unknown;
  wrote: unknown;
}

export function revertedBy({ body, before, after }: Written): Reverted[] {
  const [sent, was, created] = [objectOf(body), objectOf(before), objectOf(after)];
  return Object.entries(sent).flatMap(([name, value]): Reverted[] => {
    if (name === 'id' || !Object.hasOwn(was, name)) return [];
    const result = Object.hasOwn(created, name) ? created[name] : value;
    if (name !== 'values') return [{ name, was: was[name], wrote: result }];
    const values = { ...objectOf(value), ...objectOf(created.values) };
    const old = objectOf(was.values);
    return Object.entries(values).map(([slug, wrote]) => ({ name, slug, was: old[slug] ?? null, wrote }));
  });
}

/** Fields of what a write created that differ now; a field that the API does not show is not compared. */
export function changedSince({ body, after }: Written, current: JsonObject): string[] {
  const [sent, result] = [objectOf(body), objectOf(after)];
  const expected: JsonObject = { ...(current.archived === true && { archived: false }), ...sent, ...result };
  const values = { ...objectOf(sent.values), ...objectOf(result.values) };
  const now = objectOf(current.values);
  return [
    ...Object.keys(expected).filter(
      (name) => name !== 'values' && Object.hasOwn(current, name) && !sameValue(current[name], expected[name]),
    ),
    ...[...new Set([...Object.keys(values), ...Object.keys(now)])].filter(
      (slug) => !sameValue(now[slug], values[slug]),
    ),
  ];
}

/** Fields of a PATCH that take no null, so that they cannot be cleared again. */
const neverNull = new Set(['title', 'name', 'position', 'archived', 'entity_type', 'is_required', 'config']);

interface Restoring {
  body?: JsonObject;
  /** Fields that somebody changed since. */
  changed: string[];
}

/** The body that restores the fields, compared with their current values. `force` overrides changes made since. */
export function restoring(fields: readonly Reverted[], current: JsonObject, force: boolean): Restoring {
  const body: JsonObject = {};
  const values: [string, unknown][] = [];
  const changed: string[] = [];
  for (const { name, slug, was, wrote } of fields) {
    const holder = slug === undefined ? current : objectOf(current.values);
    const now = propertyOf(holder, slug ?? name);
    if (sameValue(now, was) || (slug === undefined && was === null && neverNull.has(name))) continue;
    if (!sameValue(now, wrote) && !force) changed.push(slug ?? name);
    else if (slug === undefined) body[name] = was;
    else values.push([slug, was]);
  }
  if (values.length > 0) body.values = Object.fromEntries(values);
  return { ...(Object.keys(body).length > 0 ? { body } : {}), changed };
}

export function applyPatch(resource: JsonObject, body: JsonObject): JsonObject {
  const values =
    body.values === undefined ? {} : { values: { ...objectOf(resource.values), ...objectOf(body.values) } };
  return { ...resource, ...body, ...values };
}

/** The fields of a deleted resource that a new one takes. */
function pick(resource: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => ((resource[name] ?? null) === null ? [] : [[name, resource[name]]])),
  );
}

export function entryToRecreate(entry: JsonObject): JsonObject {
  const values = Object.entries(objectOf(entry.values)).filter(([, value]) => (value ?? null) !== null);
  const names = ['title', 'values', 'position', 'archived', 'linked_entity_type', 'linked_entity_id'];
  return pick({ ...entry, values: Object.fromEntries(values) }, names);
}

/** Its options keep their ids. */
export function attributeToRecreate(attribute: JsonObject): JsonObject {
  return pick(attribute, ['name', 'attribute_type', 'config', 'is_required', 'position']);
}

export function listToRecreate(list: JsonObject): JsonObject {
  return pick(list, ['name', 'description', 'icon', 'color', 'entity_type', 'context_type', 'position']);
}
