/** `comem undo`: reverts a run of the journal as far as possible, with a row for each write. */

import { join } from 'node:path';
import { bulkOf, lookUpWrite, planLines, type Reported, type RowStep, writeRows } from '../../cli/bulk.ts';
import type { Context, PlannedCall } from '../../cli/context.ts';
import { failureOf } from '../../cli/outcomes.ts';
import { amount, timeText } from '../../cli/words.ts';
import type { Outcome, Send } from '../../client/bulk.ts';
import { creation, isFindable, pause, sendOnce, settleMs } from '../../client/creation.ts';
import { markUndo, type NewId, type Run, type UndoMarks } from '../../config/history.ts';
import { whileRunning } from '../../config/store.ts';
import { createEntry, updateEntry } from '../../contract/entry-operations.ts';
import { createAttribute, getList, updateAttribute } from '../../contract/list-operations.ts';
import { Failure, usage } from '../../core/errors.ts';
import { groupBy, isEmptyValue } from '../../core/same.ts';
import { isEnded } from '../../domain/grants.ts';
import { keyOf } from '../../domain/list-code/copy.ts';
import {
  attributeToRecreate,
  creationKey,
  entryToRecreate,
  isCreation,
  type JsonObject,
  kindOf,
  lower,
  objectOf,
  objectsIn,
  renameIds,
  summaryOf,
} from '../../domain/undo.ts';
import type { Column } from '../../output/column.ts';
import { allEntries } from '../entries/read.ts';
import { createLookup, planUndo, restoredTexts, type UndoStep } from './plan.ts';
import { idsOf, latestRun, runOf, runsOf } from './read.ts';

const undoColumns: Column<UndoRow>[] = [
  { key: 'write', heading: 'Write', type: 'integer', get: (row) => row.write },
  { key: 'what', heading: 'What', get: (row) => row.what },
  { key: 'outcome', heading: 'Outcome', get: (row) => row.outcome },
  { key: 'id', heading: 'ID', type: 'id', get: (row) => row.id },
  { key: 'error', heading: 'Error', get: (row) => row.error },
];

/** The order of the counts at the end. */
const outcomes = [
  'restored',
  'recreated',
  'deleted',
  'revoked',
  'partly',
  'unchanged',
  'skipped',
  'impossible',
  'failed',
];
const reverted = ['restored', 'recreated', 'deleted', 'revoked', 'unchanged'];

const intents: Record<UndoStep['outcome'], string> = {
  restored: 'restore',
  recreated: 're-create',
  deleted: 'delete',
  revoked: 'revoke',
  unchanged: 'unchanged',
  skipped: 'skip',
  impossible: 'cannot be reverted',
};

/** @throws no when nothing of it can be reverted, partial when some of it was */
export async function undoRun(ctx: Context, number: string | undefined, force: boolean): Promise<void> {
  if (!(await ctx.out.check(undoColumns))) return;
  const run = number === undefined ? latestRun(ctx) : runOf(ctx, number);
  checkPlace(ctx, run);
  ctx.noteUndone(run);
  if (ctx.settings.dryRun) return revert(ctx, run, force);
  const file = join(ctx.folders.state, 'undo', encodeURIComponent(ctx.settings.profile.value), `${run.number}.pid`);
  // The journal now has the work of another undo.
  await whileRunning(
    file,
    () => revert(ctx, runOf(ctx, String(run.number)), force),
    (pid) =>
      usage(
        `process ${pid} is undoing run ${run.number} already`,
        `wait for it or end it; if that process is another program, delete ${file}`,
      ),
  );
}

async function revert(ctx: Context, run: Run, force: boolean): Promise<void> {
  const runs = runsOf(ctx);
  const steps = await planUndo(ctx, run, runs, force);
  if (steps.length === 0) {
    throw new Failure('no', `nothing left to undo of run ${run.number} (${run.command}, ${timeText(run.at)})`);
  }
  let marks: UndoMarks | undefined;
  const open = () => {
    marks ??= markUndo(ctx.folders, ctx.settings.profile.value, run.number);
    return marks;
  };
  await writeRows<UndoRow>(ctx, {
    plan: planOf(run, steps),
    question: `Undo run ${run.number}: ${deedsOf(steps)}?`,
    steps: undoSteps(ctx, steps, idsOf(runs), open),
    doing: 'Undoing',
    columns: undoColumns,
    name: ({ what }) => what,
    id: (row) => row.id ?? undefined,
    counted: outcomes,
    seldom: outcomes.filter((word) => word !== 'failed'),
    verdict: (results) => verdict(run, results),
  }).finally(() => marks?.close());
}

/** `restore 2 entries, delete 1 list`. */
function deedsOf(steps: readonly UndoStep[]): string {
  const counts = new Map<string, number>();
  for (const { outcome, write, call } of steps) {
    const key = `${intents[outcome]} ${kindOf(write)}`;
    if (call) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const words = [...counts].map(([key, count]) => {
    const [deed, kind = ''] = key.split(' ');
    return `${deed} ${amount(count, kind, kind.replace(/y$/, 'ie').concat('s'))}`;
  });
  return words.length > 0 ? words.join(', ') : 'no request';
}

/** Refuses to undo a run at another API than it was sent to. */
function checkPlace(ctx: Context, { number, baseUrl, company }: Run): void {
  const { value = '' } = ctx.settings.baseUrl;
  if (baseUrl !== value) {
    throw usage(
      `run ${number} wrote to ${baseUrl || 'no base URL'}, and this would write to ${value}`,
      'use the same --base-url',
    );
  }
  if (company !== ctx.company()) {
    const now = ctx.company();
    throw usage(
      `run ${number} wrote with ${company === undefined ? 'no company' : `company ${company}`}, and this would write with ${now ?? 'none'}`,
      company === undefined ? 'leave the company out' : `add -c ${company}`,
    );
  }
}

function planOf({ number, command, at, writes }: Run, steps: readonly UndoStep[]): string[] {
  const texts = restoredTexts(steps);
  const lines = steps.map((step) => [`  ${step.what}: ${step.error ?? texts.get(step) ?? intents[step.outcome]}`]);
  const again = steps.some(({ outcome }) => outcome === 'recreated');
  return [
    ...planLines(`undo run ${number} (${command}, ${timeText(at)}: ${summaryOf(writes)})`, lines),
    ...(again ? ['What was deleted gets a new id, created_at and created_by.'] : []),
  ];
}

function verdict({ number }: Run, results: readonly Reported<UndoRow>[]): Failure | undefined {
  const left = results.filter(({ row }) => !reverted.includes(row.outcome));
  if (left.length === 0) return undefined;
  const says = `${left.length} of ${amount(results.length, 'write', 'writes')} of run ${number} ${left.length === 1 ? 'was' : 'were'} not reverted`;
  const why = left.find(({ row }) => row.error !== null)?.row.error ?? undefined;
  const thrown = results.flatMap(({ failure }) => failure ?? []);
  // The first failure gives the class of the whole undo.
  const failures = [thrown.find(({ kind }) => kind === 'interrupted') ?? thrown[0] ?? []].flat();
  const some = left.length < results.length || results.some(({ row }) => row.outcome === 'partly');
  if (some || failures.length > 0) return failureOf({ some, failures, says, hint: some ? why : failures[0]?.hint });
  return new Failure('no', `${says}: ${why ?? 'nothing can be reverted'}`, { code: 'not_undone' });
}

interface UndoRow {
  write: number;
  what: string;
  outcome: UndoStep['outcome'] | 'partly' | 'failed';
  /** The id of the restored or re-created resource. */
  id: string | null;
  error: string | null;
}

/** A row for each step of the plan. `marks` opens the journal when the first step has ended. */
function undoSteps(ctx: Context, steps: readonly UndoStep[], ids: Map<string, string>, marks: () => UndoMarks) {
  const undoing = new Undoing(ctx, ids, marks);
  const chains = chainsOf(steps);
  return steps.map((step): RowStep<UndoRow> => {
    const { n: write, what, outcome, error = null, call } = step;
    const row = { write, what, id: null };
    if (!call && !step.created && outcome !== 'unchanged') return { row, outcome, reason: error };
    const ofEntry = ['createEntry', 'updateEntry', 'deleteEntry'].includes(step.write.op ?? '');
    const chain = chains.get(entryOf(step)) ?? entryOf(step);
    return {
      row,
      ...(call && { call }),
      step: {
        ...(ofEntry ? { chain } : { alone: true }),
        send: () => undoing.execute(step),
        verify: (failure, sent) => undoing.verify(step, failure, sent),
      },
    };
  });
}

/** The writes of one entry are reverted in sequence, and creations of the same content, which look alike. */
function chainsOf(steps: readonly UndoStep[]): Map<string, string> {
  return new Map(
    steps.flatMap((step) => {
      const { call } = step;
      return call?.op.id === 'createEntry' ? [[entryOf(step), creationKey({ op: call.op.id, ...call.input })]] : [];
    }),
  );
}

function entryOf({ write }: UndoStep): string {
  return String(write.created?.id ?? write.query?.entryId ?? objectOf(write.body).id).toLowerCase();
}

const idNames = new Set(['id', 'listId', 'entryId', 'attributeId']);

/** A re-created resource has a new id; earlier writes name the old one. */
function withNewIds({ op, input }: PlannedCall, ids: ReadonlyMap<string, string>): PlannedCall {
  const renamed = (value: unknown) => ids.get(lower(value)) ?? value;
  const within = (resource: unknown) =>
    Object.fromEntries(
      Object.entries(objectOf(resource)).map(([name, value]) => [name, idNames.has(name) ? renamed(value) : value]),
    );
  const { params, query, body } = input;
  return {
    op,
    input: {
      ...(params && { params: within(params) }),
      ...(query && { query: within(query) }),
      ...(body !== undefined && { body: within(body) }),
    },
  };
}

function deletedId({ op, params, query }: UndoStep['write']): unknown {
  return op === 'deleteList' ? params?.listId : (query?.entryId ?? query?.attributeId);
}

/** The result of a step, as far as the plan does not know it. */
type Undone = Omit<UndoRow, 'write' | 'what'>;

class Undoing {
  /** The new ids that the journal does not have yet. */
  private readonly unmarked: NewId[] = [];
  private pausing: Promise<void> | undefined;
  private isReverted: ReturnType<typeof createLookup> | undefined;

  /** @param ids the new ids of re-created resources by their old ids, in lower case */
  constructor(
    private readonly ctx: Context,
    private readonly ids: Map<string, string>,
    private readonly marks: () => UndoMarks,
  ) {}

  async execute(step: UndoStep): Promise<Undone> {
    const { n: write, outcome, error = null, call, created } = step;
    if (created) {
      const { resource, by } = created;
      (await this.ctx.client()).answered?.(by.op, by.input, resource);
      this.replace(deletedId(step.write), String(resource.id));
    }
    if (!call) {
      this.marks().undone(write, this.unmarked.splice(0));
      return { outcome, id: created ? String(created.resource.id) : null, error };
    }
    const { id, notes, missing } = await this.send(step, withNewIds(call, this.ids));
    if (missing !== undefined) return { outcome: 'partly', id, error: `without ${missing}` };
    this.marks().undone(write, this.unmarked.splice(0));
    return { outcome, id, error: notes.length > 0 ? notes.join('; ') : error };
  }

  /** Once everything is sent, the API shows whether a change or removal without an answer was carried out. */
  async verify(step: UndoStep, failure: Failure, sent: Promise<void>): Promise<Outcome<Undone>> {
    const { n, outcome, write, call } = step;
    if (!call || outcome === 'recreated') return { is: 'failed', failure };
    const find = async () => {
      this.isReverted ??= createLookup(this.ctx);
      return (await this.isReverted(renameIds(write, this.ids))) ? {} : undefined;
    };
    const request = withNewIds(call, this.ids);
    if (!(await lookUpWrite(this.ctx, request, { failure, sent, find }))) return { is: 'failed', failure };
    const { input } = request;
    this.marks().undone(n);
    const id = isCreation(write) ? null : String(objectOf(input.body).id ?? input.params?.listId);
    return { is: 'done', value: { outcome, id, error: null } };
  }

  private replace(old: unknown, created: string): void {
    if (old === undefined) return;
    this.ids.set(lower(old), created);
    this.unmarked.push([lower(old), created]);
  }

  /** Requests of an earlier process may still be on their way. */
  private settle(): Promise<void> {
    this.pausing ??= pause(settleMs, this.ctx.runtime.signal);
    return this.pausing;
  }

  private get retries() {
    const { settings, runtime } = this.ctx;
    return { retries: settings.retries.value, random: runtime.random, signal: runtime.signal };
  }

  /** A step that creates something again is repeated only after a look that found nothing. */
  private async request({ known, sentBefore = false }: UndoStep, { op, input }: PlannedCall): Promise<unknown> {
    const client = await this.ctx.client();
    if (!known || !isFindable(op)) return client.call(op, input);
    if (sentBefore) await this.settle();
    return sendOnce(this.retries, { ...creation(client, { op, input }, known), sentBefore });
  }

  private async send(step: UndoStep, call: PlannedCall): Promise<Refilled & { id: string | null }> {
    const { write } = step;
    const { op, input } = call;
    const created = objectOf(await this.request(step, call));
    if (isCreation(write)) {
      if (op.id !== 'revokeGrant' || isEnded(created)) return { id: null, notes: [] };
      throw new Failure('rejected', 'the server answered the revocation, but the grant is still active');
    }
    const begun = op.method === 'PATCH';
    const id = typeof created.id === 'string' ? created.id : null;
    const recreates = write.op === 'deleteList' || write.op === 'deleteAttribute';
    if (!recreates || !begun) checkConfig(objectOf(input.body), created);
    if (id !== null) this.replace(deletedId(write), id);
    if (!recreates || id === null) return { id, notes: [] };
    if (begun) await this.settle();
    // Until it is complete, also when this process is killed.
    const unreached = 'the part that an interrupted undo did not reach';
    this.marks().halfway(write.n, { id, missing: unreached }, this.unmarked.splice(0));
    const before = objectOf(write.before);
    const { notes, missing } =
      write.op === 'deleteList'
        ? await this.fillList({ listId: id, begun }, before)
        : await this.fillValues({ listId: String(objectOf(input.params).listId), begun }, String(created.slug), before);
    if (missing !== undefined) this.marks().halfway(write.n, { id, missing }, this.unmarked.splice(0));
    return { id, notes, missing };
  }

  /** Attributes and entries of a list that was created again. */
  private async fillList({ listId, begun }: Refill, before: JsonObject): Promise<Refilled> {
    const client = await this.ctx.client();
    const params = { listId };
    const attributes = objectsIn(objectOf(before.list).list_attributes);
    const entries = objectsIn(before.entries);
    const slugs = new Map<string, string>();
    const there = begun ? objectsIn((await client.call(getList, { params })).list_attributes) : [];
    const known = new Set(there.map(({ id }) => lower(id)));
    for (const attribute of attributes) {
      const at = there.findIndex(
        ({ name, attribute_type }) => name === attribute.name && attribute_type === attribute.attribute_type,
      );
      // Required only at the end: entries from before it was may lack the value.
      const { is_required: _, ...body } = attributeToRecreate(attribute);
      const once = creation(client, { op: createAttribute, input: { params, body } }, known);
      const created = there.splice(at, at < 0 ? 0 : 1)[0] ?? (await attempt(() => sendOnce(this.retries, once)));
      if (created instanceof Failure) {
        return { notes: [], missing: `the attribute "${attribute.name}" and all after it: ${created.message}` };
      }
      slugs.set(String(attribute.slug), String(created?.slug ?? attribute.slug));
      if (created?.id !== undefined) this.replace(attribute.id, String(created.id));
    }
    const failures = await this.fillEntries({ listId, begun }, entries, slugs);
    if (failures.length > 0) return { notes: [], missing: lost(failures, amount(entries.length, 'entry', 'entries')) };
    for (const attribute of attributes) {
      const id = this.ids.get(lower(attribute.id));
      if (attribute.is_required !== true || id === undefined) continue;
      const done = await attempt(() => client.call(updateAttribute, { params, body: { id, is_required: true } }));
      if (done instanceof Failure) {
        return { notes: [], missing: `that the attribute "${attribute.name}" is required: ${done.message}` };
      }
    }
    return { notes: [...slugs].flatMap(([old, slug]) => (old === slug ? [] : [`${old} is now ${slug}`])) };
  }

  private async fillEntries(
    { listId, begun }: Refill,
    entries: readonly JsonObject[],
    slugs: ReadonlyMap<string, string>,
  ): Promise<Failure[]> {
    const there = begun ? await allEntries(this.ctx, listId) : [];
    const same = groupBy(there, keyOf);
    const known = new Set(there.map(({ id }) => lower(id)));
    const client = await this.ctx.client();
    const steps = entries.flatMap((entry) => {
      const again = entryToRecreate(entry);
      const values = Object.entries(objectOf(again.values)).flatMap(([slug, value]) =>
        slugs.has(slug) ? [[slugs.get(slug) ?? slug, value] as const] : [],
      );
      const body = { ...again, values: Object.fromEntries(values) };
      const match = same.get(keyOf(body))?.shift();
      if (match) {
        this.replace(entry.id, String(match.id));
        return [];
      }
      const { send, find } = creation(client, { op: createEntry, input: { params: { listId }, body } }, known);
      const noteId = (resource: JsonObject | undefined) => {
        if (typeof resource?.id === 'string') this.replace(entry.id, resource.id);
        return resource;
      };
      return { chain: keyOf(body), send: async () => noteId(await send()), find: async () => noteId(await find()) };
    });
    return this.failuresOf(steps);
  }

  /** The values of an attribute that was created again, into the entries that had them. */
  private async fillValues({ listId, begun }: Refill, slug: string, before: JsonObject): Promise<Refilled> {
    const values: [unknown, unknown][] = Array.isArray(before.values) ? before.values : [];
    // A value that an entry got since is not touched.
    const there = begun ? await allEntries(this.ctx, listId) : [];
    const filled = new Set(
      there.flatMap(({ id, values }) => (isEmptyValue(objectOf(values)[slug]) ? [] : [lower(id)])),
    );
    const client = await this.ctx.client();
    const sends = values.flatMap(([old, value]) => {
      const id = this.ids.get(lower(old)) ?? String(old);
      if (filled.has(lower(id))) return [];
      const body = { id, values: { [slug]: value } };
      return { send: () => client.call(updateEntry, { params: { listId }, body }) };
    });
    const failures = await this.failuresOf(sends);
    if (failures.length === 0) return { notes: [] };
    return { notes: [], missing: lost(failures, amount(values.length, 'value', 'values')) };
  }

  /** The failures of many requests. @throws interrupted */
  private async failuresOf(steps: readonly Send<unknown>[]): Promise<Failure[]> {
    const outcomes = await bulkOf(this.ctx).run(steps).ended;
    const failures = outcomes.flatMap((outcome) => {
      if (outcome.is === 'done') return [];
      return (outcome.is === 'failed' ? outcome.failure : outcome.why) ?? [];
    });
    const interrupted = failures.find(({ kind }) => kind === 'interrupted');
    if (interrupted) throw interrupted;
    return failures;
  }
}

interface Refilled {
  /** Differences that lose nothing. */
  notes: string[];
  /** The missing part, if any. */
  missing?: string | undefined;
}

interface Refill {
  listId: string;
  /** An earlier undo began it: what exists is read first. */
  begun: boolean;
}

/** The API clears no bound and no currency: a PATCH that added one cannot be reverted completely. */
function checkConfig(sent: JsonObject, created: JsonObject): void {
  if (sent.id === undefined || sent.config === undefined || created.config === undefined) return;
  const remaining = Object.keys(objectOf(created.config)).filter((name) => !Object.hasOwn(objectOf(sent.config), name));
  if (remaining.length === 0) return;
  throw new Failure('rejected', `the rest was reverted, but the API cannot remove ${remaining.join(', ')} again`);
}

/** An interrupt ends everything; any other failure belongs to this request only. */
async function attempt<T>(call: () => Promise<T>): Promise<T | Failure> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Failure && error.kind !== 'bug' && error.kind !== 'interrupted') return error;
    throw error;
  }
}

function lost(failures: readonly Failure[], count: string): string {
  return `${failures.length} of ${count}: ${failures[0]?.message}`;
}
