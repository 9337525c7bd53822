/** `mirror diff`: what differs between two syncs, as rows. */

import type { Context } from '../../cli/context.ts';
import { changeTones } from '../../cli/outcomes.ts';
import { type Past, withPast } from '../../cli/past.ts';
import type { RowFlags } from '../../cli/query.ts';
import { showRows } from '../../cli/query.ts';
import { amount } from '../../cli/words.ts';
import type { CustomListAttribute } from '../../contract/lists.ts';
import { Failure, usage } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import { optionText } from '../../domain/entries/options.ts';
import { type FieldChange, fieldChanges, type Pair, pairs } from '../../domain/history/difference.ts';
import { attributesOf, listOf, listsOf } from '../../domain/history/find.ts';
import { pointThing, resourceThing, type Thing } from '../../domain/history/reads.ts';
import { numberOf } from '../../domain/history/restated.ts';
import { instantOf } from '../../domain/history/stays.ts';
import type { Point, Resource, Version } from '../../domain/history/versions.ts';
import { momentOf, syncAt } from '../../domain/history/when.ts';
import type { Cell, Column } from '../../output/column.ts';

const kinds = ['list', 'attribute', 'entry', 'metric', 'value', 'grant'] as const;
type Kind = (typeof kinds)[number];

interface Row extends FieldChange {
  kind: Kind;
  change: 'added' | 'removed' | 'changed';
  id: string;
  name: string;
  /** The list of an attribute or entry. */
  list: string | null;
}

interface Flags extends RowFlags {
  kinds?: string[];
  list?: string;
  exitCode?: boolean;
  mirror?: string;
}

export async function showDiff(ctx: Context, a: string, b: string | undefined, flags: Flags): Promise<void> {
  const { kinds: asked, list, exitCode, mirror, ...asking } = flags;
  const wanted = kindsOf(asked, list);
  const rows = await withPast(ctx, (past) => readDiff(ctx, past, { a, b, kinds: wanted, list }), mirror);
  await showRows(ctx, async () => rows, columns, {
    flags: asking,
    command: ['mirror diff', a, b, wanted, list, flags.where],
    rules: { kind: kinds, change: ['added', 'removed', 'changed'] },
    name: ({ kind, name }) => `${kind} ${name}`,
    empty: 'No differences.',
    counts: ['difference', 'differences'],
  });
  if (!exitCode || rows.length === 0) return;
  throw new Failure('no', `the mirror differs in ${amount(rows.length, 'place', 'places')}`, { code: 'different' });
}

function kindsOf(asked: readonly string[] | undefined, list: string | undefined): Kind[] {
  const words = asked?.flatMap((text) => text.split(',')).map((word) => word.trim());
  const isKind = (word: string): word is Kind => (kinds as readonly string[]).includes(word);
  const unknown = words?.find((word) => !isKind(word));
  if (unknown !== undefined) {
    const near = nearest(unknown, [...kinds]);
    throw usage(`--kinds takes ${kinds.join(', ')}, got "${unknown}"`, near && `did you mean ${near}?`);
  }
  return words?.filter(isKind) ?? (list === undefined ? [...kinds] : ['list', 'attribute', 'entry']);
}

interface Asked {
  a: string;
  b: string | undefined;
  kinds: readonly Kind[];
  list: string | undefined;
}

async function readDiff(ctx: Context, { history, syncs, newest, timesOf }: Past, asked: Asked): Promise<Row[]> {
  const now = () => new Date(newest.seenAt);
  const at = (text: string, name: string) => syncAt(syncs, momentOf(text, now, 'last', name), name).seenAt;
  const [from, to] = [at(asked.a, 'A'), asked.b === undefined ? newest.seenAt : at(asked.b, 'B')];
  if (from > to) throw usage('A is after B', 'give the earlier time first');
  const company = ctx.requireCompany();
  const only = asked.list === undefined ? undefined : await listOf(history, company, asked.list);
  const lists = only ? [only] : await listsOf(history, company);
  const nameOf = new Map(lists.map(({ id, name, slug }) => [id, slug ?? name ?? id]));
  const since = { changedSince: from };
  const rows: Row[] = [];
  const has = (kind: Kind) => asked.kinds.includes(kind);
  const unread = new Set<string>();
  /** What no sync until A read may have been there: it is not called added. */
  const isKnown: IsKnown = async (thing, name, before) => {
    if (before !== undefined || (await timesOf(thing)).before((instantOf(from) ?? 0) + 1) !== undefined) return true;
    unread.add(name);
    return false;
  };
  const resources = async (
    kind: Kind,
    of: Resource['kind'],
    owner: string | undefined,
    name: (body: Resource['body'], id: string) => string,
  ) => {
    const versions = history.resources(of, { ...since, ...(owner !== undefined && { owner }) });
    for await (const pair of pairs(versions, ({ owner, id }) => `${owner} ${id}`, from, to)) {
      const { id, owner, body } = (pair.after ?? pair.before) as Resource;
      const listId = kind === 'attribute' ? owner : kind === 'list' ? id : undefined;
      if (listId !== undefined && !nameOf.has(listId)) continue;
      const label = listId === undefined ? id : `list ${nameOf.get(listId)}`;
      if (!(await isKnown(resourceThing(of, owner, id), label, pair.before))) continue;
      const about = {
        kind,
        id,
        name: name(body, id),
        list: listId === undefined ? null : (nameOf.get(listId) ?? null),
      };
      rows.push(...rowsOf(about, { before: pair.before?.body, after: pair.after?.body }, ['config']));
    }
  };
  const text = (value: unknown, otherwise: string) => (typeof value === 'string' ? value : otherwise);
  if (has('list')) await resources('list', 'list', only ? undefined : company, ({ name }, id) => text(name, id));
  if (has('attribute')) await resources('attribute', 'attribute', undefined, ({ slug }, id) => text(slug, id));
  if (has('entry')) {
    for (const { id } of lists) {
      const labels = new Map(
        (await attributesOf(history, id)).map((attribute) => [`values.${attribute.slug}`, attribute]),
      );
      const versions = history.entries(id, since);
      const thing = { part: 'entries', owner: id, list: id };
      for await (const { before, after } of pairs(versions, (entry) => String(entry.id), from, to)) {
        if (!(await isKnown(thing, `list ${nameOf.get(id)}`, before))) continue;
        const { title, id: own } = after ?? before ?? {};
        const about = {
          kind: 'entry' as const,
          id: String(own),
          name: title ?? String(own),
          list: nameOf.get(id) ?? null,
        };
        rows.push(...rowsOf(about, { before, after }, ['values']).map((row) => labelled(row, labels)));
      }
    }
  }
  if (has('metric')) await resources('metric', 'definition', company, (_, id) => id);
  if (has('value')) rows.push(...(await values(history.points(company, since), from, to, isKnown)));
  if (has('grant')) await resources('grant', 'grant', company, (body, id) => grantName(ctx, body, id));
  if (unread.size > 0) {
    const names = [...unread].slice(0, mostNamed).join(', ') + (unread.size > mostNamed ? ', …' : '');
    ctx.out.warn(`no sync until A read ${names}: what is new there is not known, and left out`);
  }
  return rows;
}

const mostNamed = 5;

function rowsOf(
  about: Omit<Row, keyof FieldChange | 'change'>,
  { before, after }: Pair<object>,
  nested: readonly string[],
): Row[] {
  const none = { field: null, before: undefined, after: undefined };
  if (before === undefined) return [{ ...about, change: 'added', ...none }];
  if (after === undefined) return [{ ...about, change: 'removed', ...none }];
  return fieldChanges({ ...before }, { ...after }, nested).map((field) => ({ ...about, change: 'changed', ...field }));
}

type IsKnown = (thing: Thing, name: string, before: unknown) => Promise<boolean>;

async function values(
  versions: AsyncIterable<Version<Point>>,
  from: string,
  to: string,
  isKnown: IsKnown,
): Promise<Row[]> {
  const rows: Row[] = [];
  const key = (point: Point) => JSON.stringify([point.metricId, point.version, point.periodType, point.periodKey]);
  for await (const { before, after } of pairs(versions, key, from, to)) {
    const point = (after ?? before) as Point;
    if (!(await isKnown(pointThing(point), point.metricId, before))) continue;
    const name = `${point.metricId} ${point.periodKey} ${point.version}`;
    const [one, other] = [before, after].map((each) => (each ? { value: numberOf(each.value) } : undefined));
    const found = rowsOf({ kind: 'value', id: point.metricId, name, list: null }, { before: one, after: other }, []);
    // Of a value that came or went the number is what matters.
    rows.push(...found.map((row) => ({ ...row, field: 'value', before: one?.value, after: other?.value })));
  }
  return rows;
}

function labelled(row: Row, attributes: ReadonlyMap<string, CustomListAttribute>): Row {
  const attribute = attributes.get(row.field ?? '');
  if (attribute?.config?.options === undefined) return row;
  const shown = (value: unknown) => {
    const ids = typeof value === 'string' ? [value] : value;
    const isIds = Array.isArray(ids) && ids.every((id) => typeof id === 'string');
    return isIds ? optionText(attribute, ids) : value;
  };
  return { ...row, before: shown(row.before), after: shown(row.after) };
}

function grantName(
  ctx: Context,
  { recipient_company_id: company, recipient_user_id: user }: Resource['body'],
  id: string,
): string {
  if (typeof company === 'string') return `to ${ctx.companyName(company) ?? company}`;
  return typeof user === 'string' ? `to user ${user}` : id;
}

const columns: Column<Row>[] = [
  { key: 'kind', heading: 'Kind', rank: 1, get: (row) => row.kind },
  { key: 'change', heading: 'Change', rank: 7, tones: changeTones, get: (row) => row.change },
  { key: 'list', heading: 'List', rank: 20, get: (row) => row.list },
  { key: 'name', heading: 'Name', rank: 3, get: (row) => row.name },
  { key: 'field', heading: 'Field', rank: 4, get: (row) => row.field },
  { key: 'before', heading: 'Before', rank: 5, wraps: true, get: (row) => row.before as Cell },
  { key: 'after', heading: 'After', aliases: ['value'], rank: 6, wraps: true, get: (row) => row.after as Cell },
  { key: 'id', heading: 'ID', type: 'id', hidden: true, get: (row) => row.id },
];
