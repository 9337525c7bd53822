/** Finds what a creation without an answer created, among what the API shows now. */
import { readInstant } from '../core/periods.ts';
import { type Thing, thingOf, type Written } from '../domain/undo/undo.ts';
import { differences } from './proof.ts';

type Creation = Pick<Written, 'op' | 'body'>;

/** A creation that was sent and not answered. */
export interface Unanswered extends Creation {
  /** When its run began. */
  at: string;
}

export type Match =
  | { is: 'absent' }
  | { is: 'present'; thing: Thing }
  /** It may be one of these. */
  | { is: 'unclear'; candidates: readonly Thing[] };

interface Search {
  things: Iterable<Thing>;
  /** Ids, in lower case, of what other writes created or deleted. */
  claimed: ReadonlySet<string>;
  /** How many creations of the same content have no answer. */
  count: number;
}

/** What the creation created: it has its content, is not older than its run, and no other write created it. */
export function matchCreated(sent: Unanswered, { things, claimed, count }: Search): Match {
  // Some servers write times without milliseconds.
  const since = Math.floor((readInstant(sent.at) ?? 0) / 1000) * 1000;
  const same: Thing[] = [];
  const alike: Thing[] = [];
  for (const thing of things) {
    if (claimed.has(String(thing.id).toLowerCase())) continue;
    const created = createdAt(thing);
    if (created !== undefined && created < since) continue;
    if (isSameContent(sent, thing)) same.push(thing);
    else if (isAlike(sent, thing)) alike.push(thing);
  }
  const [first] = same;
  // Without a time it may be older than the run.
  if (first && same.length <= count && same.every((thing) => createdAt(thing) !== undefined)) {
    return { is: 'present', thing: first };
  }
  const candidates = [...same, ...alike];
  return candidates.length > 0 ? { is: 'unclear', candidates } : { is: 'absent' };
}

function createdAt({ created_at }: Thing): number | undefined {
  return typeof created_at === 'string' ? readInstant(created_at) : undefined;
}

/** Fields that tell things of one operation apart. Others may change as a server likes. */
const telling: Record<string, readonly string[]> = {
  createEntry: ['title', 'values', 'linked_entity_type', 'linked_entity_id'],
  createAttribute: ['name', 'attribute_type'],
  createList: ['name'],
  instantiateTemplate: ['name'],
  createGrant: ['recipient_company_id', 'recipient_user_id', 'metric_ids', 'include_historical', 'expires_at'],
};

/** Whether a server may show what was sent in this form. */
export function isSameContent({ op, body }: Creation, thing: Thing): boolean {
  const sent = thingOf(body);
  const names = (telling[op ?? ''] ?? []).filter((name) => sent[name] !== undefined && sent[name] !== null);
  return names.length > 0 && names.every((name) => differences(name, sent[name], thing[name]).length === 0);
}

/** Whether somebody may have made it out of what was created: it has the name, or the values and the position. */
function isAlike({ op, body }: Creation, thing: Thing): boolean {
  if (op === 'createGrant') return false;
  const sent = thingOf(body);
  const name = sent.title ?? sent.name;
  if (name !== undefined && differences('name', name, thing.title ?? thing.name).length === 0) return true;
  const { position, values } = sent;
  return (
    position !== undefined &&
    position === thing.position &&
    Object.keys(thingOf(values)).length > 0 &&
    differences('values', values, thing.values).length === 0
  );
}
