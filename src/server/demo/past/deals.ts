/** The way of each deal of the demo to where it is now. */
import type { CustomListEntry } from '../../../contract/lists.ts';
import { Random } from '../random.ts';
import type { State } from './states.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** The options of the stages, which `slugOf` makes of their labels. */
const climb = ['sourced', 'screening', 'first-meeting', 'diligence', 'term-sheet', 'invested'] as const;
const stageNames: readonly string[] = climb;
const passed = 'passed';

/** Days that a deal is usually in a stage. */
const usual: Readonly<Record<string, number>> = {
  ...{ sourced: 6, screening: 12, 'first-meeting': 18, diligence: 32, 'term-sheet': 21 },
};

/** The first meeting is where a valuation is talked about. */
const firstMeeting = climb.indexOf('first-meeting');

/** The states of a deal from its creation on; the last one is what it is now. */
export function dealStates(deal: CustomListEntry, place: number): State<CustomListEntry>[] {
  const random = new Random(70_000 + place);
  const created = timeOf(deal.created_at);
  const updated = timeOf(deal.updated_at);
  const path = pathTo(String(deal.values?.stage), random);
  const room = (updated - created) / dayMs;
  if (room < path.length || path.length < 2) return twoStates(deal);
  const days = path.slice(0, -1).map((stage) => (usual[stage] ?? 10) * Math.exp(random.noise() * 0.6));
  const total = days.reduce((sum, each) => sum + each, 0);
  const isOpen = path.at(-1) !== passed && path.at(-1) !== 'invested';
  // An open deal has been where it is for about as long as others are; it took the rest of its time to get there.
  const stays = (usual[path.at(-1) ?? ''] ?? 0) * Math.exp(random.noise() * 0.7);
  const wanted = isOpen ? Math.max(total * 0.6, Math.min(total * 2.5, room - stays)) : total;
  const scale = Math.min(wanted, room * 0.95) / total;
  let at = created;
  const owners = random.chance(0.12);
  const states: State<CustomListEntry>[] = [];
  for (const [index, stage] of path.entries()) {
    if (index > 0) at += Math.max(1, (days[index - 1] ?? 0) * scale) * dayMs;
    const when = index === 0 ? created : Math.min(Math.floor(at / minuteMs) * minuteMs, updated - minuteMs);
    states.push({ at: when, value: earlier(deal, stage, when, owners && index === 0) });
  }
  return [...states, { at: updated, value: deal }];
}

/** The stages until this one, in the order in which the deal was in them. */
function pathTo(stage: string, random: Random): string[] {
  const reached = stage === passed ? random.weighted({ 0: 22, 1: 34, 2: 24, 3: 14, 4: 6 }) : undefined;
  const last = reached === undefined ? stageNames.indexOf(stage) : Number(reached);
  const path: string[] = [];
  for (const [index, each] of climb.slice(0, last + 1).entries()) {
    const isEnd = index === 0 || index === last;
    if (!isEnd && random.chance(0.08)) continue;
    path.push(each);
    // Some go back a step when something new is heard.
    if (index >= 2 && index < last && random.chance(0.06)) path.push(climb[index - 1] ?? each, each);
  }
  return reached === undefined ? path : [...path, passed];
}

/** The deal when it came into a stage: what is learned later is not known yet. */
function earlier(deal: CustomListEntry, stage: string, at: number, otherOwner: boolean): CustomListEntry {
  const { notes: _, ...known } = deal.values ?? {};
  const place = stageNames.indexOf(stage);
  if (place >= 0 && place < firstMeeting) {
    delete known.valuation;
    delete known.conviction;
  }
  const values: Record<string, unknown> = { ...known, stage };
  const due = new Date(at + 9 * dayMs).toISOString().slice(0, 10);
  if (stage === passed || stage === 'invested') delete values['next-step-due'];
  else values['next-step-due'] = due;
  if (otherOwner) values.owner = values.owner === 'omar-haddad' ? 'elena-castillo' : 'omar-haddad';
  return { ...deal, values, archived: false, updated_at: new Date(at).toISOString() };
}

/** An entry that was created, and written once more. */
export function twoStates(entry: CustomListEntry): State<CustomListEntry>[] {
  const [created, updated] = [timeOf(entry.created_at), timeOf(entry.updated_at)];
  if (updated <= created) return [{ at: created, value: entry }];
  const values = { ...entry.values };
  const last = Object.keys(values).at(-1);
  if (last !== undefined && Object.keys(values).length > 2) delete values[last];
  const first = { ...entry, values, archived: false, updated_at: entry.created_at };
  return [
    { at: created, value: first as CustomListEntry },
    { at: updated, value: entry },
  ];
}

function timeOf(text: string | undefined): number {
  return Date.parse(text ?? '');
}
