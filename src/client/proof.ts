/**
 * Proof of a write by its answer. A server may answer 2xx and have done something else: the wrong resource, or
 * nothing of what was sent.
 */
import type { Operation } from '../contract/operation.ts';
import { isObject, numeric, propertyOf } from '../core/json.ts';
import { readDay, readInstant } from '../core/periods.ts';
import { canonicalText } from '../core/same.ts';
import { formatValue, resultSchema } from './answer-shape.ts';
import { type Exchange, ignoredFields, wrongAnswer } from './failures.ts';
import type { InputValues } from './request.ts';

type Fields = Record<string, unknown>;

interface Write {
  op: Operation;
  input: InputValues;
  data: unknown;
  exchange: Exchange;
}

/**
 * Checks the answers of all writes of a run. It gives a note, once each, about what an answer leaves open; undefined when
 * the answer shows what was written.
 * @throws rejected when an answer contradicts its write
 */
export function prover(): (write: Write) => string | undefined {
  const created = new Map<string, Set<unknown>>();
  const notes = new Set<string>();
  return (write) => {
    const note = prove(write) ?? repeatedId(write, created);
    if (note === undefined || notes.has(note)) return undefined;
    notes.add(note);
    return note;
  };
}

/** A new resource has an id of its own: one that another creation of this run got does not show a second resource. */
function repeatedId({ op, data }: Write, created: Map<string, Set<unknown>>): string | undefined {
  const id = op.success === 201 && isObject(data) ? resourceOf(op, data).id : undefined;
  if (id === undefined || id === null) return undefined;
  const ids = created.get(op.id) ?? new Set<unknown>();
  created.set(op.id, ids);
  if (ids.has(id)) return `several creations were answered with the id ${formatValue(id)}: check what exists`;
  ids.add(id);
  return undefined;
}

function resourceOf(op: Operation, data: Fields): Fields {
  return resultSchema(op)?.properties?.list && isObject(data.list) ? data.list : data;
}

function prove({ op, input: { params, body }, data, exchange }: Write): string | undefined {
  const sent = isObject(body) ? body : {};
  if (op.rejection) return undefined;
  if (!isObject(data)) return Object.keys(sent).length > 0 ? unprovenNote(op, 'nothing') : undefined;
  const target = op.method === 'PATCH' ? (sent.id ?? params?.id ?? params?.listId) : undefined;
  if (target !== undefined && !isAlike(target, data.id)) {
    throw wrongAnswer(`"id" must be ${formatValue(target)}, got ${formatValue(data.id)}`, exchange);
  }
  const fields = resultSchema(op)?.properties ?? {};
  const resource = resourceOf(op, data);
  const other = otherList(params, resource);
  if (other !== undefined) throw ignoredFields(`${idOrIt(resource)} was written and ${other}`, exchange);
  const known = resource === data ? fields : (fields.list?.properties ?? {});
  if (isMinimal(resource, known))
    return unprovenNote(op, `only ${Object.keys(resource).join(', ') || 'an empty object'}`);
  const ignored = Object.entries(sent)
    // A server may number positions by itself (docs/api.md, "What the API leaves open").
    .filter(([name]) => Object.hasOwn(known, name) && name !== 'id' && name !== 'position')
    .flatMap(([name, value]) => differences(name, value, resource[name]));
  if (ignored.length === 0) return undefined;
  throw ignoredFields(`${idOrIt(resource)} was written without ${ignored.join(', ')}`, exchange);
}

function unprovenNote({ method, path }: Operation, shows: string): string {
  return `the answer to ${method} ${path} shows ${shows}: whether all was stored as sent is not known`;
}

/** An answer that names the resource and shows nothing else of it cannot be compared. */
function isMinimal(resource: Fields, known: Fields): boolean {
  const names = Object.keys(resource).filter((name) => Object.hasOwn(known, name));
  return names.every((name) => ['id', 'slug', 'list_id', 'created_at', 'updated_at'].includes(name));
}

/** The id of the written resource, for messages. */
function idOrIt({ id }: Fields): string {
  return typeof id === 'string' ? id : 'it';
}

/** The resource belongs to another list than the request named. */
function otherList(params: Fields | undefined, { list_id: listId }: Fields): string | undefined {
  const sent = params?.listId;
  if (typeof sent !== 'string' || typeof listId !== 'string' || isAlike(sent, listId)) return undefined;
  return `its "list_id" is ${formatValue(listId)} instead of ${formatValue(sent)}`;
}

/** Each value that was sent and is not in the answer, as messages name it. */
export function differences(path: string, sent: unknown, got: unknown): string[] {
  if (isKept(sent, got) || (path.startsWith('values.') && isOptionOf(sent, got))) return [];
  if (isObject(sent) && isObject(got)) {
    return Object.entries(sent).flatMap(([name, value]) =>
      differences(`${path}.${name}`, value, propertyOf(got, name)),
    );
  }
  return [`"${path}": sent ${formatValue(sent)}, got ${formatValue(got)}`];
}

/** A label was sent, and the server answers with the id of the option. What has ids is compared. */
function isOptionOf(sent: unknown, got: unknown): boolean {
  if (Array.isArray(sent) && Array.isArray(got)) {
    const labels = sent.filter((item) => !got.includes(item));
    const ids = got.filter((item) => !sent.includes(item));
    return labels.length === ids.length && labels.every((item, index) => isOptionOf(item, ids[index]));
  }
  return typeof sent === 'string' && typeof got === 'string' && !isMachineId(sent) && isMachineId(got);
}

/** A uuid, or letters and digits such as `opt_e5c34d755f61`. */
function isMachineId(text: string): boolean {
  return /^(?=.*\d)[\w-]{8,}$/.test(text);
}

/** A server may trim, fill in defaults, sort options, and write times, numbers and nothing in its own way. */
function isKept(sent: unknown, got: unknown): boolean {
  if (isNothing(sent)) return isNothing(got);
  if (isObject(sent))
    return isObject(got) && Object.entries(sent).every(([name, item]) => isKept(item, propertyOf(got, name)));
  if (!Array.isArray(sent)) return isAlike(sent, got);
  if (!Array.isArray(got)) return false;
  if (sent.every((item) => isObject(item))) {
    return sent.length === got.length && sent.every((item, index) => isKept(item, got[index]));
  }
  const holds = (all: readonly unknown[], item: unknown) => all.some((other) => isAlike(item, other));
  return sent.every((item) => holds(got, item)) && got.every((item) => holds(sent, item));
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true;
  if (typeof value === 'string') return value.trim() === '';
  if (Array.isArray(value)) return value.every(isNothing);
  return isObject(value) && Object.values(value).every(isNothing);
}

function isAlike(a: unknown, b: unknown): boolean {
  if (typeof a !== 'string' || typeof b !== 'string') return scalarText(a) === scalarText(b);
  if (normalText(a) === normalText(b)) return true;
  const [time, otherTime] = [timeOf(a), timeOf(b)];
  return time !== undefined && time === otherTime;
}

/** Decimals are text in some databases. */
function scalarText(value: unknown): string {
  const isLiteral = typeof value === 'string' && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value);
  return canonicalText(isLiteral ? numeric(value) : value);
}

/** The case of ids and addresses is the server's, and so is a slash at the end. */
function normalText(text: string): string {
  const trimmed = text.normalize().trim().replace(/\r\n?/g, '\n');
  return /^[0-9a-f-]{36}$|@|:\/\//i.test(trimmed) ? trimmed.toLowerCase().replace(/\/$/, '') : trimmed;
}

/** To the second: not every database keeps more. */
function timeOf(text: string): number | undefined {
  const time = readInstant(text) ?? readDay(text);
  return time === undefined ? undefined : Math.floor(time / 1000);
}
