/** `entries funnel`: the paths of entries, read from the mirror, as rows or as a picture. */

import { showRows } from '../../../cli/asking.ts';
import type { Context } from '../../../cli/context.ts';
import { withPast } from '../../../cli/past.ts';
import type { AskFlags } from '../../../cli/query.ts';
import { amount } from '../../../cli/words.ts';
import type { CustomListAttribute } from '../../../contract/lists.ts';
import { Failure, usage } from '../../../core/errors.ts';
import type { Entry } from '../../../domain/entries/lookup.ts';
import { optionId, optionsOf } from '../../../domain/entries/options.ts';
import { entryScope } from '../../../domain/entries/scope.ts';
import { entryLines, listOf, type PastList } from '../../../domain/history/find.ts';
import { funnel, staleStays } from '../../../domain/history/funnel.ts';
import { type Path, pathOf } from '../../../domain/history/stays.ts';
import { momentOf } from '../../../domain/history/when.ts';
import { type Cell, compareCells, groupId } from '../../../domain/query/cells.ts';
import { groupKeys } from '../../../domain/query/groups.ts';
import { resolveAttribute } from '../../lists/read.ts';
import { type FunnelRow, funnelColumns, type StaleRow, staleColumns } from './funnel-columns.ts';

interface FunnelFlags extends AskFlags {
  by: string;
  stages?: string[];
  from?: string;
  to?: string;
  cohort?: string;
  stale?: boolean;
  chart?: boolean;
  failOn?: string;
  mirror?: string;
}

interface Found {
  list: PastList;
  stages: { id: string; label: string }[];
  rows: FunnelRow[];
  stale: StaleRow[];
  /** What it is counted from, for a title. */
  since: string;
}

export async function showFunnel(ctx: Context, target: string, flags: FunnelFlags): Promise<void> {
  const { stale, chart, where, sort, one } = flags;
  if (stale && chart) throw usage('--chart draws the funnel, and --stale lists entries', 'omit one of them');
  const { pictureKind } = await import('../../../cli/picture.ts');
  const kind = pictureKind(ctx);
  const found = await withPast(ctx, (past) => readFunnel(ctx, past, target, flags), flags.mirror);
  const asking = { ...(where && { where }), ...(sort && { sort }), ...(one && { one }) };
  const command = ['entries funnel', found.list.id, flags.by, where];
  if (stale) {
    await showRows(ctx, async () => found.stale, staleColumns, {
      ...{ flags: asking, command, name: ({ title }) => title ?? '', counts: ['entry', 'entries'] },
      empty: 'No entry sits longer than usual.',
    });
  } else if (kind === 'rows' || (kind === 'text' && !chart)) {
    const columns = funnelColumns(found.stages, flags.cohort, flags.stages !== undefined);
    await showRows(ctx, async () => found.rows, columns, {
      ...{ flags: asking, command, name: ({ stage }) => stage, counts: ['stage', 'stages'] },
      id: ({ stageId }) => stageId,
      json: ({ cohort, ...row }) => (flags.cohort === undefined ? row : { cohort, ...row }),
    });
  } else {
    const { drawFunnel } = await import('./funnel-picture.ts');
    await drawFunnel(ctx, found, kind);
  }
  if (flags.failOn === undefined || found.stale.length === 0) return;
  throw new Failure('no', `${amount(found.stale.length, 'entry sits', 'entries sit')} longer than usual`, {
    code: 'stale',
  });
}

type PastOf = Parameters<Parameters<typeof withPast>[1]>[0];

async function readFunnel(ctx: Context, past: PastOf, target: string, flags: FunnelFlags): Promise<Found> {
  const { history, newest } = past;
  const list = await listOf(history, ctx.requireCompany(), target);
  const times = await past.timesOf({ part: 'entries', owner: list.id, list: list.id });
  if (list.slug) ctx.out.about(list.slug);
  const attribute = resolveAttribute(list, flags.by);
  const stages = pathStages(attribute, flags.stages);
  const now = () => new Date(newest.seenAt);
  const range = {
    from: flags.from === undefined ? Number.NEGATIVE_INFINITY : momentOf(flags.from, now, 'first', '--from'),
    to: flags.to === undefined ? Number.POSITIVE_INFINITY : momentOf(flags.to, now, 'last', '--to') + 1,
  };
  const key = flags.cohort === undefined ? undefined : cohortKey(flags.cohort, list, now);
  const groups = new Map<string, { cells: Cell[]; paths: Path[] }>();
  const all: Path[] = [];
  for await (const line of entryLines(history, list.id)) {
    const path = pathOf(line, attribute.slug ?? '', times);
    if (!path) continue;
    all.push(path);
    for (const cell of key?.cells(path.entry) ?? []) {
      const group = groups.get(groupId([cell])) ?? { cells: [cell], paths: [] };
      groups.set(groupId([cell]), group);
      group.paths.push(path);
    }
  }
  const ids = stages.map(({ id }) => id);
  const labelOf = new Map(stages.map(({ id, label }) => [id, label]));
  const rowsOf = (paths: readonly Path[], cohort?: Cell['shown']): FunnelRow[] =>
    funnel(paths, ids, range, times.newest).map(({ stage, reached, ...counts }, index) => {
      const next = ids[index + 1];
      const to = Object.fromEntries([...reached].map(([id, count]) => [labelOf.get(id) ?? id, count]));
      const converted = next === undefined ? null : (reached.get(next) ?? 0);
      return {
        cohort: cohort ?? null,
        stageId: stage,
        stage: labelOf.get(stage) ?? stage,
        ...counts,
        next: converted,
        to,
      };
    });
  const counts = funnel(all, ids, range, times.newest);
  const stale = staleStays(all, counts, times.newest).map(({ path, stay, days, usual }) => ({
    ...{ id: path.entry.id, title: path.entry.title, stage: labelOf.get(stay.option ?? '') ?? stay.option ?? '' },
    ...{ since: stay.seen ? new Date(stay.from).toISOString() : null, days, usual, over: days - usual },
  }));
  const sorted = [...groups.values()].sort((a, b) => compareCells(a.cells, b.cells));
  // A group of which nobody came in the range has no funnel.
  const cohorts = () =>
    sorted
      .map(({ cells, paths }) => rowsOf(paths, cells[0]?.shown ?? null))
      .filter((own) => own.some(({ entered }) => entered > 0));
  const rows = key ? cohorts().flat() : rowsOf(all);
  return { list, stages, rows, stale, since: new Date(Math.max(range.from, times.first)).toISOString() };
}

function cohortKey(written: string, list: PastList, now: () => Date) {
  const [key, other] = groupKeys<Entry>(written, entryScope(list.list_attributes, now), '--cohort');
  if (key && !other) return key;
  throw usage(`--cohort takes one key, got "${written}"`, 'such as first-contact:quarter');
}

function pathStages(
  attribute: CustomListAttribute,
  asked: readonly string[] | undefined,
): { id: string; label: string }[] {
  const { slug, attribute_type: type } = attribute;
  if (type !== 'select' && type !== 'status') {
    throw usage(`--by ${slug} is of the type ${type}, and a funnel needs a select or status`, 'name another attribute');
  }
  const all = (optionsOf(attribute) ?? []).flatMap(({ id, label }) => (id ? [{ id, label: label ?? id }] : []));
  if (asked === undefined) return all;
  const words = asked.flatMap((text) => text.split(',')).map((word) => word.trim());
  const chosen = words.map((word) => optionId(attribute, word, '--stages'));
  if (new Set(chosen).size < chosen.length) throw usage('--stages names a stage twice');
  return chosen.map((id) => all.find((option) => option.id === id) ?? { id, label: id });
}
