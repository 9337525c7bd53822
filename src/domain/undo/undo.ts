/** What a recorded write did, and what would revert it. Pure. */
import { sameValue } from '../../core/same.ts';

/** A list, attribute, entry or grant, as JSON. */
export type Thing = Record<string, unknown>;

/** The fields of a JSON value; none for what is not an object. */
export function thingOf(value: unknown): Thing {
  return typeof value === 'object' && value !== null ? (value as Thing) : {};
}

/** A write of the journal, as far as undo needs it. */
export interface Written {
  op?: string | undefined;
  method: string;
  path: string;
  params?: Thing;
  query?: Thing;
  body?: unknown;
  before?: unknown;
  why?: string | undefined;
  outcome?: 'done' | 'failed' | undefined;
  after?: unknown;
  undone?: true;
  /** It is re-created, but incomplete. */
  halfway?: PartialRecreation;
}

export interface PartialRecreation {
  /** Of what was created. */
  id: string;
  /** What is missing. */
  missing: string;
}

/** `entries changed`: what writes of an operation do, one and many, for summaries. */
const deeds: Record<string, readonly [string, string]> = {
  updateEntry: ['entry changed', 'entries changed'],
  deleteEntry: ['entry deleted', 'entries deleted'],
  updateAttribute: ['attribute changed', 'attributes changed'],
  deleteAttribute: ['attribute deleted', 'attributes deleted'],
  updateList: ['list changed', 'lists changed'],
  deleteList: ['list deleted', 'lists deleted'],
  revokeGrant: ['grant revoked', 'grants revoked'],
};

/** `3 entries changed, 1 list deleted`. */
export function summaryOf(writes: readonly Written[]): string {
  const counts = new Map<string, number>();
  for (const { op, method } of writes) {
    const key = op !== undefined && Object.hasOwn(deeds, op) ? op : method;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts]
    .map(([key, count]) => `${count} ${deeds[key]?.[count === 1 ? 0 : 1] ?? `${key} request${count === 1 ? '' : 's'}`}`)
    .join(', ');
}

/** `entry "Acme"`, as messages name what was written to. */
export function nameOf({ op, path, params, query, body, before }: Written): string {
  const was = thingOf(before);
  const thing = thingOf(was.list ?? was.attribute ?? was);
  const kind = /(Entry|Attribute|List|Grant)$/.exec(op ?? '')?.[1]?.toLowerCase();
  if (kind === undefined) return path;
  const name = thing.title ?? thing.name ?? thing.slug;
  const given = query?.entryId ?? query?.attributeId ?? thingOf(body).id ?? params?.id ?? params?.listId;
  return typeof name === 'string' && name !== '' ? `${kind} "${name}"` : `${kind} ${String(thing.id ?? given)}`;
}

/** Why a write cannot be reverted; undefined when it can. */
export function whyNot({ op, before, why }: Written): string | undefined {
  if (op === 'revokeGrant') return 'a revocation cannot be reverted';
  return before === undefined ? (why ?? 'the previous state was not read') : undefined;
}

/** What messages say of a write that was reverted in part. */
export function partialText({ id, missing }: PartialRecreation): string {
  return `re-created as ${id}, but without ${missing}; the next undo continues it`;
}

/** Old ids, in lower case, to current ones: what was re-created may have been deleted and re-created again. */
export function currentIds(made: Iterable<readonly [string, string]>): Map<string, string> {
  const next = new Map([...made].map(([old, id]) => [lower(old), id]));
  const last = (id: string): string => {
    // At most one step for each id, in case the journal contains a circle.
    let now = id;
    for (let left = next.size; left > 0; left -= 1) {
      const later = next.get(lower(now));
      if (later === undefined) break;
      now = later;
    }
    return now;
  };
  return new Map([...next].map(([old, id]) => [old, last(id)]));
}

/** The write with the current ids of what it changed. What it deleted keeps its own. */
export function renamed<W extends Written>(write: W, ids: ReadonlyMap<string, string>): W {
  const { op, params, body } = write;
  const within = (thing: unknown, name: string): Thing => {
    const now = ids.get(lower(thingOf(thing)[name]));
    return { ...thingOf(thing), ...(now !== undefined && { [name]: now }) };
  };
  return {
    ...write,
    ...(params && op !== 'deleteList' && { params: within(params, 'listId') }),
    ...(body !== undefined && { body: within(body, 'id') }),
  };
}

function lower(id: unknown): string {
  return String(id).toLowerCase();
}

/** Whether undo applies to the write: it may have happened, and was not reverted. */
export function isOpen(write: Written): boolean {
  return write.outcome !== 'failed' && write.undone !== true;
}

/** One field that a PATCH changed: its value before, and after. */
interface Reverted {
  name: string;
  /** For `values`: the slug. */
  slug?: string;
  was: unknown;
  wrote: unknown;
}

/** The fields that a PATCH changed. */
export function revertedBy({ body, before, after }: Written): Reverted[] {
  const [sent, was, made] = [thingOf(body), thingOf(before), thingOf(after)];
  return Object.entries(sent).flatMap(([name, value]): Reverted[] => {
    if (name === 'id' || !Object.hasOwn(was, name)) return [];
    const result = Object.hasOwn(made, name) ? made[name] : value;
    if (name !== 'values') return [{ name, was: was[name], wrote: result }];
    const values = { ...thingOf(value), ...thingOf(made.values) };
    const old = thingOf(was.values);
    return Object.entries(values).map(([slug, wrote]) => ({ name, slug, was: old[slug] ?? null, wrote }));
  });
}

/** Fields of a PATCH that take no null, so that they cannot be cleared again. */
const neverNull = new Set(['title', 'name', 'position', 'archived', 'entity_type', 'is_required', 'config']);

interface Restoring {
  /** Undefined: nothing has to be sent. */
  body?: Thing;
  /** Fields that somebody changed since. */
  changed: string[];
}

/** The body that restores the fields, compared with their current values. `force` overrides changes made since. */
export function restoring(fields: readonly Reverted[], current: Thing, force: boolean): Restoring {
  const body: Thing = {};
  const values: [string, unknown][] = [];
  const changed: string[] = [];
  for (const { name, slug, was, wrote } of fields) {
    const holder = slug === undefined ? current : thingOf(current.values);
    const now = Object.hasOwn(holder, slug ?? name) ? holder[slug ?? name] : undefined;
    if (sameValue(now, was) || (slug === undefined && was === null && neverNull.has(name))) continue;
    if (!sameValue(now, wrote) && !force) changed.push(slug ?? name);
    else if (slug === undefined) body[name] = was;
    else values.push([slug, was]);
  }
  if (values.length > 0) body.values = Object.fromEntries(values);
  return { ...(Object.keys(body).length > 0 ? { body } : {}), changed };
}

/** The entry after a PATCH with the body. */
export function patched(thing: Thing, body: Thing): Thing {
  const values = body.values === undefined ? {} : { values: { ...thingOf(thing.values), ...thingOf(body.values) } };
  return { ...thing, ...body, ...values };
}

/** No value, as the API and people write it. */
export function isBlank(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

/** Fields of a deleted entry that a new one takes. */
export function entryToRecreate(entry: Thing): Thing {
  const { title, values, position, archived, linked_entity_type, linked_entity_id } = entry;
  const kept = Object.entries(thingOf(values)).filter(([, value]) => value !== null && value !== undefined);
  const all = { title, values: Object.fromEntries(kept), position, archived, linked_entity_type, linked_entity_id };
  return present(all);
}

/** Fields of a deleted attribute that a new one takes; its options keep their ids. */
export function attributeToRecreate({ name, attribute_type, config, is_required, position }: Thing): Thing {
  return present({ name, attribute_type, config, is_required, position });
}

/** Fields of a deleted list that a new one takes. */
export function listToRecreate({ name, description, icon, color, entity_type, context_type, position }: Thing): Thing {
  return present({ name, description, icon, color, entity_type, context_type, position });
}

function present(thing: Thing): Thing {
  return Object.fromEntries(Object.entries(thing).filter(([, value]) => value !== undefined && value !== null));
}
