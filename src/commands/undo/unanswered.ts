/** Looks up what creations without an answer created: those that a run undoes, and those of an undo that was interrupted. */
import { type CreationMatch, matchCreated } from '../../client/creation.ts';
import { creationsOf, type RecordedWrite, type Run, type UnansweredWrite } from '../../config/history.ts';
import { creationKey, type Thing, thingOf, type Written } from '../../domain/undo/undo.ts';
import type { State } from './state.ts';

type Sent = Pick<Written, 'op' | 'body'> & { params?: Thing | undefined };

export interface Unanswered {
  /** What a creation of the run created. `renamed`: the same with the current ids. */
  createdBy(write: RecordedWrite, renamed: RecordedWrite): Promise<CreationMatch>;
  /** What an earlier undo created with the same request; undefined when none sent it without an answer. */
  sentBefore(call: Sent): Promise<CreationMatch | undefined>;
}

export function unansweredOf(runs: readonly Run[], { number }: Run, state: State): Unanswered {
  const { unanswered, known: claimed } = creationsOf(runs);
  const byKey = new Map<string, UnansweredWrite[]>();
  for (const write of unanswered) byKey.set(creationKey(write), [...(byKey.get(creationKey(write)) ?? []), write]);
  const unnoted = unnotedOf(runs, number);
  const match = async (sent: readonly UnansweredWrite[], call: Sent): Promise<CreationMatch> => {
    const [first] = sent;
    if (!first) return { is: 'absent' };
    const things = await thingsFor(call, state);
    const sentAt = sent
      .map((write) => write.sentAt)
      .sort()
      .at(-1);
    const found = matchCreated({ ...call, at: first.at, sentAt }, { things, claimed, count: sent.length });
    // The next one of the same content is another thing.
    if (found.is === 'present') claimed.add(String(found.thing.id).toLowerCase());
    return found;
  };
  return {
    async createdBy(write, renamed) {
      const same = byKey.get(creationKey(write)) ?? [];
      const found = await match(same, renamed);
      if (found.is === 'present')
        same.splice(
          same.findIndex((one) => one.run === number && one.n === write.n),
          1,
        );
      return found;
    },
    async sentBefore(call) {
      // A process that was killed may not have noted that what it created is there.
      const ids = new Set(unnoted.get(creationKey(call)));
      const noted = ids.size > 0 ? await thingsFor(call, state) : [];
      const thing = noted.find(({ id }) => ids.has(String(id).toLowerCase()));
      if (thing) {
        unnoted.set(
          creationKey(call),
          [...ids].filter((id) => id !== String(thing.id).toLowerCase()),
        );
        return { is: 'present', thing };
      }
      const same = byKey.get(creationKey(call))?.filter(({ run }) => run > number) ?? [];
      return same.length === 0 ? undefined : match(same, call);
    },
  };
}

/** By their content, ids of what later undos created and noted nowhere as the thing that it replaces. */
function unnotedOf(runs: readonly Run[], number: number): Map<string, string[]> {
  const noted = new Set(runs.flatMap(({ ids }) => ids.map(([, made]) => made.toLowerCase())));
  const found = new Map<string, string[]>();
  for (const run of runs) {
    if (run.number < number || run.command !== 'undo') continue;
    for (const write of run.writes) {
      const id = write.made?.id.toLowerCase();
      if (id === undefined || noted.has(id) || write.undone) continue;
      found.set(creationKey(write), [...(found.get(creationKey(write)) ?? []), id]);
    }
  }
  return found;
}

/** Where a creation can be seen. */
export async function thingsFor({ op, params }: Sent, state: State): Promise<readonly Thing[]> {
  const listId = String(params?.listId);
  switch (op) {
    case 'createEntry':
      return state.entries(listId);
    case 'createAttribute': {
      const { list_attributes } = thingOf(await state.list(listId));
      return Array.isArray(list_attributes) ? list_attributes : [];
    }
    case 'createGrant':
      return state.grants();
    default:
      return state.lists();
  }
}

/** `whether it was re-created is unknown: "Acme" (ID) may be it`. */
export function unclearText(done: string, candidates: readonly Thing[]): string {
  const named = candidates.slice(0, 3).map((thing) => {
    const name = thing.title ?? thing.name;
    return typeof name === 'string' ? `"${name}" (${thing.id})` : String(thing.id);
  });
  const more = candidates.length > named.length ? ` and ${candidates.length - named.length} more` : '';
  return `whether it was ${done} is unknown: ${named.join(', ')}${more} may be it`;
}
