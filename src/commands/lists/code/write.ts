/** The writes of lists and of the entries of a copy, their report, and `lists copy`. */

import { bulkOf, isReported, planCall, progressOf } from '../../../cli/bulk.ts';
import type { Context, PlannedCall } from '../../../cli/context.ts';
import type { FlagValues } from '../../../cli/define.ts';
import { type Counts, countColumns, type DoneKind, Tally } from '../../../cli/outcomes.ts';
import { amount } from '../../../cli/words.ts';
import type { Bulk, Send } from '../../../client/bulk.ts';
import type { Client } from '../../../client/client.ts';
import { creation } from '../../../client/creation.ts';
import { cachedNames } from '../../../config/companies.ts';
import { resolveCredentials } from '../../../config/credentials.ts';
import { requireBaseUrl, resolveSettings } from '../../../config/settings.ts';
import { createEntry } from '../../../contract/entry-operations.ts';
import {
  createAttribute,
  createList,
  deleteAttribute,
  listLists,
  updateAttribute,
  updateList,
} from '../../../contract/list-operations.ts';
import type { CustomListEntry } from '../../../contract/lists.ts';
import { getMetricCatalog } from '../../../contract/metric-operations.ts';
import { Failure, listSome, usage } from '../../../core/errors.ts';
import { stringifyJson } from '../../../core/json.ts';
import {
  type AttributeMap,
  attributeMap,
  copiedPositions,
  copiedValues,
  type EntryCopy,
  keyOf,
  type LostValue,
  missing,
} from '../../../domain/list-code/copy.ts';
import { existingList, listFile } from '../../../domain/list-code/existing.ts';
import { type ListWrite, planList } from '../../../domain/list-code/plan.ts';
import type { ExistingList, ListSpec } from '../../../domain/list-code/spec.ts';
import { allEntries } from '../../entries/read.ts';
import { companyLists, readList } from '../read.ts';
import type { copyFlags } from './flags.ts';

export const countedColumns = countColumns([
  'created',
  'updated',
  'unchanged',
  'skipped',
  'deleted',
  'failed',
  'not_tried',
]);

/** The id of a list that does not exist yet, in the requests of a dry run. */
export const placeholderId = '00000000-0000-0000-0000-000000000000';

/** This many failures in a row of a server that does not answer end the writing. */
const patience = 5;

/** The writes of one command: what stops one list stops all after it. */
export interface Writing {
  ctx: Context;
  bulk: Bulk;
  tally: Tally;
}

export function startWriting(ctx: Context): Writing {
  return { ctx, bulk: bulkOf(ctx, { concurrency: 1, patience }), tally: new Tally() };
}

/** The progress of the writes of a list. */
export interface WrittenList {
  /** Undefined: it could not be created. */
  id: string | undefined;
  /** Ids of attributes that were created, by their index in the file. */
  created: Map<number, string>;
}

const verbs = {
  createList: ['created', 'Creating'],
  updateList: ['updated', 'Updating'],
  createAttribute: ['created', 'Creating'],
  updateAttribute: ['updated', 'Updating'],
  deleteAttribute: ['deleted', 'Deleting'],
} as const satisfies Record<ListWrite['do'], readonly [DoneKind, string]>;

/** Sends the writes in order. Attributes are deleted only if everything before them succeeded. */
export async function writeList(
  { ctx, bulk, tally }: Writing,
  writes: readonly ListWrite[],
  existing: (ExistingList & { id: string }) | undefined,
): Promise<WrittenList> {
  const written: WrittenList = { id: existing?.id, created: new Map() };
  let broken = false;
  const steps = writes.map((write): Send<string> => {
    const { send, ...rest } = requestOf(ctx, write, written, existing);
    return {
      ...rest,
      alone: true,
      ready: () =>
        (written.id !== undefined || write.do === 'createList') && !(broken && write.do === 'deleteAttribute'),
      send() {
        ctx.out.progress(`${verbs[write.do][1]} ${write.name}`);
        return send();
      },
    };
  });
  const outcomes = await bulk.run(steps, (_, { is }) => {
    broken ||= is === 'failed';
  }).ended;
  for (const [index, write] of writes.entries()) {
    const name = write.do.endsWith('List') ? `the list "${write.name}"` : `the attribute "${write.name}"`;
    const outcome = outcomes[index] ?? { is: 'notTried' };
    tally.add(verbs[write.do][0], outcome, () => ({ name, details: { target: name } }));
    if (write.do === 'updateAttribute' && outcome.is === 'done') tally.counts.deleted += write.deletedOptions;
  }
  return written;
}

export function callOf(write: ListWrite, listId: string): PlannedCall {
  const params = { listId };
  switch (write.do) {
    case 'createList':
      return planCall(createList, { body: write.body });
    case 'updateList':
      return planCall(updateList, { params, body: write.body });
    case 'createAttribute':
      return planCall(createAttribute, { params, body: write.body });
    case 'updateAttribute':
      return planCall(updateAttribute, { params, body: write.body });
    case 'deleteAttribute':
      return planCall(deleteAttribute, { params, query: { attributeId: write.id } });
  }
}

/** The request of a write; a creation gives the id of what it created, also when its answer was lost. */
function requestOf(ctx: Context, write: ListWrite, written: WrittenList, existing: ExistingList | undefined) {
  const call = () => callOf(write, written.id ?? placeholderId);
  if (write.do !== 'createList' && write.do !== 'createAttribute') {
    return {
      async send() {
        const { op, input } = call();
        await (await ctx.client()).call(op, input);
        return write.name;
      },
    };
  }
  let once: Promise<ReturnType<typeof creation>> | undefined;
  const prepare = async () => {
    const client = await ctx.client();
    const before =
      write.do === 'createList'
        ? (await client.call(listLists)).map(({ id }) => id)
        : [...(existing?.attributes ?? []).map(({ id }) => id), ...written.created.values()];
    return creation(client, call(), new Set(before.map((id) => String(id).toLowerCase())));
  };
  const keepId = (id: unknown) => {
    if (typeof id !== 'string') return undefined;
    if (write.do === 'createList') written.id = id;
    else written.created.set(write.index, id);
    return id;
  };
  return {
    async send() {
      once ??= prepare();
      const { send, find } = await once;
      const id = keepId((await send()).id ?? (await find())?.id);
      if (id !== undefined) return id;
      throw new Failure('rejected', 'the server accepted it, but does not show it');
    },
    async find() {
      return keepId((await (await once)?.find())?.id);
    },
  };
}

/** Adds the copies that are not in the list yet, several in flight, each once whatever becomes of an answer. */
async function writeEntries(
  { ctx, tally }: Writing,
  listId: string,
  copies: readonly EntryCopy[],
  there: readonly CustomListEntry[],
): Promise<void> {
  const todo = missing(copies, there);
  tally.counts.unchanged += copies.length - todo.length;
  const known = new Set(there.map(({ id }) => String(id).toLowerCase()));
  const client = await ctx.client();
  const tick = progressOf(ctx, 'Copying entries', todo.length);
  const steps = todo.map((body): Send<unknown> => {
    const input = { params: { listId }, body };
    // Equal entries in flight could not be told apart when an answer is lost.
    return {
      chain: keyOf(body),
      ...creation(client, { op: createEntry, input }, known),
    };
  });
  const outcomes = await bulkOf(ctx, { patience }).run(steps, (_, { is }) => {
    tick(is === 'failed');
  }).ended;
  ctx.out.progress(undefined);
  for (const [index, outcome] of outcomes.entries()) {
    const name = `"${todo[index]?.title}"`;
    tally.add('created', outcome, () => ({ name, details: { target: name } }));
  }
}

type CopyFlags = FlagValues<typeof copyFlags> & { toProfile: string };

type CopyRow = Counts & { id: string | undefined; name: string };

const copyColumns = [
  { key: 'id', heading: 'ID', type: 'id' as const, get: ({ id }: CopyRow) => id },
  { key: 'name', heading: 'Name', get: ({ name }: CopyRow) => name },
  ...countedColumns,
];

export async function copyList(ctx: Context, target: string, flags: CopyFlags): Promise<void> {
  if (!(await ctx.out.check(copyColumns))) return;
  const read = await readList(ctx, target);
  const source: ExistingList & { id: string } = { ...existingList(read), id: read.id };
  const entries = flags.all ? await allEntries(ctx, source.id) : [];
  const lost = entries.flatMap((entry) => copiedValues(entry, attributeMap(source, source)).lost);
  if (lost.length > 0) sayLost(ctx, lost, flags.dropRemoved ?? false);
  const { toProfile: profile, toCompany: company } = flags;
  await withProfile(ctx, { profile, company }, (other) => {
    const isSource = (id: string) => id === source.id && other.settings.baseUrl.value === ctx.settings.baseUrl.value;
    return copyTo(other, { ...source, isSource }, entries, flags);
  });
}

interface Source extends ExistingList {
  /** Whether an id of the other profile is the list itself. */
  isSource(id: string): boolean;
}

async function copyTo(ctx: Context, source: Source, entries: readonly CustomListEntry[], flags: CopyFlags) {
  const { position: _, ...file } = listFile(source, false);
  const spec: ListSpec = { ...file, name: flags.name ?? source.name };
  const existing = await targetOf(ctx, spec.name, source, flags);
  // The server takes no entry without a required value, but the source may have some: required is set at the end.
  const plan = planList(flags.all ? withoutRequired(spec) : spec, existing);
  for (const { path, refused } of plan.differences) {
    if (refused) throw usage(`the list "${spec.name}" there is not a copy of this one: ${path}: ${refused.why}`);
  }
  const positions = copiedPositions(entries);
  const copies = (map: AttributeMap) =>
    entries.map((entry, index): EntryCopy => {
      const { values } = copiedValues(entry, map);
      const archived = entry.archived ? { archived: true } : {};
      return { title: entry.title ?? '', values, position: positions[index] ?? index, ...archived };
    });
  const listId = existing?.id ?? placeholderId;
  const withEntries = flags.all ? ` and ${amount(entries.length, 'entry', 'entries')}` : '';
  const attributes = amount(source.attributes.length, 'attribute', 'attributes');
  ctx.out.note(`Copy of the list "${source.name}" as "${spec.name}": ${attributes}${withEntries}.`);
  if (ctx.settings.dryRun && entries.length > 0) {
    ctx.out.note('Options are shown by label: the ids of the copy are not known before it exists.');
  }
  await ctx.prepare(
    [
      ...plan.writes.map((write) => callOf(write, listId)),
      ...copies(labels(source)).map((body) => planCall(createEntry, { params: { listId }, body })),
    ],
    `Copy the list "${source.name}"${withEntries} to profile "${ctx.settings.profile.value}"?`,
  );
  const writing = startWriting(ctx);
  const { tally } = writing;
  tally.counts.unchanged += plan.unchanged;
  const { id } = await writeList(writing, plan.writes, existing);
  if (flags.all && (id === undefined || !tally.complete)) tally.counts.not_tried += entries.length;
  else if (flags.all && id !== undefined) {
    // Entries go into the list when all of its attributes exist.
    const created = { ...existingList(await readList(ctx, id)), id };
    const there = existing === undefined ? [] : await allEntries(ctx, id);
    await writeEntries(writing, id, copies(attributeMap(source, created)), there);
    const { writes } = planList(spec, created);
    if (tally.complete) await writeList(writing, writes, created);
    else tally.counts.not_tried += writes.length;
  }
  ctx.out.progress(undefined);
  tally.warn(ctx);
  if (isReported(ctx)) await ctx.out.value({ ...tally.counts, id, name: spec.name }, copyColumns, { asRows: true });
  const failure = tally.verdict(ctx, 'run the same command with --resume for the rest');
  if (failure) throw failure;
}

/** The list that a resumed copy continues. */
async function targetOf(ctx: Context, name: string, source: Source, flags: CopyFlags) {
  const sameName = (await companyLists(ctx)).filter((list) => list.name === name);
  const [existing] = sameName;
  if (existing?.id === undefined) return undefined;
  const profile = ctx.settings.profile.value;
  const itself = source.isSource(existing.id);
  if (!flags.resume || itself) {
    throw usage(
      `profile "${profile}" has a list "${name}" already (${existing.id})`,
      itself
        ? 'it is the same list: give the copy another --name'
        : '--name NAME creates another one, --resume continues an interrupted copy; `comem lists plan --by slug` compares it with the files of `comem lists pull`, and `comem entries import --mode upsert` updates entries',
    );
  }
  if (sameName.length > 1) throw usage(`--resume: profile "${profile}" has ${sameName.length} lists "${name}"`);
  return { ...existingList(await readList(ctx, existing.id)), id: existing.id };
}

function withoutRequired({ attributes = [], ...list }: ListSpec): ListSpec {
  return { ...list, attributes: attributes.map(({ required: _, ...attribute }) => attribute) };
}

/** The list's own attributes, options by their labels. */
function labels(source: ExistingList): AttributeMap {
  return new Map(
    source.attributes.flatMap(({ slug, type, options = [] }) =>
      slug === undefined
        ? []
        : [[slug, { slug, type, options: new Map(options.map(({ id, label }) => [id ?? label, label])) }]],
    ),
  );
}

function sayLost(ctx: Context, lost: readonly LostValue[], drop: boolean): void {
  const names = lost.map(
    ({ title, slug, value }) => `"${title}": ${slug} = ${typeof value === 'object' ? stringifyJson(value) : value}`,
  );
  const values = listSome(names, 5);
  const says = `${amount(lost.length, 'value names', 'values name')} an option or attribute that no longer exists`;
  if (!drop) throw usage(`${says}: ${values}`, '--drop-removed copies the entries without them');
  ctx.out.warn(`${says} and ${lost.length === 1 ? 'is' : 'are'} left out: ${values}`);
}

/** Runs with the context of `-p profile`, and the output and prompts of this one. @param company default: its own */
export async function withProfile<T>(
  ctx: Context,
  { profile, company }: { profile: string; company?: string | undefined },
  use: (other: Context) => Promise<T>,
): Promise<T> {
  const { runtime, profiles, folders } = ctx;
  const flags = { profile, ...(company === undefined ? {} : { company: [company] }) };
  const resolved = resolveSettings(flags, runtime.env, profiles, runtime.terminal, (url) => cachedNames(folders, url));
  const { output, fields, jq, out, header, truncate, limit, pageSize, failEmpty, raw, excel } = ctx.settings;
  const { dryRun, yes, input, verbose, quiet, confirm, keepUndo } = ctx.settings;
  const outputSettings = { output, fields, jq, out, header, truncate, limit, pageSize, failEmpty, raw, excel };
  const settings = { ...resolved, ...outputSettings, dryRun, yes, input, verbose, quiet, confirm, keepUndo };
  const baseUrl = requireBaseUrl(settings, profiles);
  const secrets = { env: runtime.env, paths: folders, profiles, signal: runtime.signal };
  const connect = (companyId: string | undefined) =>
    ctx.clientFor({
      baseUrl,
      company: companyId,
      allowHttp: settings.allowHttp,
      profile,
      journal: settings,
      credentials: resolveCredentials(settings, secrets),
    });
  const [named] = settings.companies.value;
  // An embedded database says itself which company is its own.
  const id = named ?? (baseUrl.startsWith('embedded:') ? await ownCompany(await connect(undefined)) : undefined);
  if (id !== undefined) settings.companies = { ...settings.companies, value: [id] };
  let client: Promise<Client> | undefined;
  const open = () => {
    client ??= connect(id);
    return client;
  };
  try {
    return await use(ctx.withSettings({ settings: () => settings, client: open }));
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'credential_missing') throw error;
    const { kind } = error.details as { kind: 'key' | 'session' };
    const login = `comem auth login -p ${profile}`;
    const command = ` or \`${login} --key-command 'printenv NAME'\``;
    throw error.with({
      hint: `save its own with \`${login} --stdin ${kind}\`${kind === 'key' ? command : ''}; here the environment gives profile "${profile}" none`,
    });
  } finally {
    await client?.then(
      (opened) => opened.close(),
      () => {},
    );
  }
}

/** The company of the credential; closes the client. */
async function ownCompany(client: Client): Promise<string> {
  try {
    return (await client.call(getMetricCatalog, {})).companyId;
  } finally {
    await client.close();
  }
}
