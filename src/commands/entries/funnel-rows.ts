/** `entries funnel`: paths of entries from the mirror, as rows, bars or a picture. */

import type { Context } from '../../cli/context.ts';
import { withPast } from '../../cli/past.ts';
import type { RowFlags } from '../../cli/query.ts';
import { showRows } from '../../cli/query.ts';
import { drawPanels, namesPicture, pictureKind, timeFact, writePicture } from '../../cli/show.ts';
import { amount } from '../../cli/words.ts';
import type { CustomListAttribute } from '../../contract/lists.ts';
import { roundTo } from '../../core/decimal.ts';
import { Failure, usage } from '../../core/errors.ts';
import type { Numeric } from '../../core/json.ts';
import { optionId, optionsOf } from '../../domain/entries/options.ts';
import { entryLines, listOf, type PastList } from '../../domain/history/find.ts';
import type { Quantile } from '../../domain/history/funnel.ts';
import { funnel, type Path, pathOf, type StageCounts, staleStays } from '../../domain/history/funnel.ts';
import { momentOf } from '../../domain/history/steps.ts';
import type { Panel } from '../../output/chart/panel.ts';
import type { Column } from '../../output/column.ts';
import { cleanLine } from '../../output/terminal-text.ts';
import { resolveAttribute } from '../lists/read.ts';

interface FunnelFlags extends RowFlags {
  by: string;
  stages?: string[];
  from?: string;
  to?: string;
  stale?: boolean;
  type?: string;
  failOn?: string;
  mirror?: string;
}

interface FunnelResult {
  list: PastList;
  /** The name of the attribute. */
  heading: string;
  stages: { id: string; label: string }[];
  rows: FunnelRow[];
  stale: StaleRow[];
  /** Start of the range, for titles. */
  since: string;
}

export async function showFunnel(ctx: Context, target: string, flags: FunnelFlags): Promise<void> {
  const { stale, where, sort, one } = flags;
  const chart = flags.type === 'bar';
  if (stale && chart) throw usage('--type bar draws the funnel, and --stale lists entries', 'omit one of them');
  const kind = chart || namesPicture(ctx) ? pictureKind(ctx) : 'rows';
  const result = await withPast(ctx, (past) => readFunnel(ctx, past, target, flags), flags.mirror);
  const rowFlags = { ...(where && { where }), ...(sort && { sort }), ...(one && { one }) };
  const command = ['entries funnel', result.list.id, flags.by, where];
  const query = { flags: rowFlags, command, rules: { stage: result.stages.map(({ label }) => label) } };
  if (stale) {
    await showRows(ctx, async () => result.stale, staleColumns, {
      ...query,
      name: ({ title }) => title ?? '',
      counts: ['entry', 'entries'],
      empty: 'No entry is stale.',
    });
  } else if (kind === 'rows') {
    const columns = funnelColumns(result);
    await showRows(ctx, async () => result.rows, columns, {
      ...query,
      name: ({ stage }) => stage,
      counts: ['stage', 'stages'],
      id: ({ stageId }) => stageId,
      json: (row) => row,
    });
    noteLimits(ctx, result);
  } else {
    await drawFunnel(ctx, result, kind);
  }
  if (flags.failOn === undefined || result.stale.length === 0) return;
  throw new Failure('no', `${amount(result.stale.length, 'entry is', 'entries are')} stale`, {
    code: 'stale',
  });
}

/** Notes what the numbers leave out. */
function noteLimits({ out }: Context, { rows, heading }: FunnelResult): void {
  const already = rows.reduce((sum, row) => sum + row.already, 0);
  if (already > 0) {
    out.note(
      `${amount(already, 'stay', 'stays')} began before the first sync: only Now, Stale and Already count them.`,
    );
  }
  if (rows.some(({ entered }) => entered > 0) && rows.every(({ next }) => !next)) {
    out.note(`No entry moved from one ${heading} to the next: --stages names a path, in its order.`);
  }
}

type PastOf = Parameters<Parameters<typeof withPast>[1]>[0];

async function readFunnel(ctx: Context, past: PastOf, target: string, flags: FunnelFlags): Promise<FunnelResult> {
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
  const paths: Path[] = [];
  for await (const line of entryLines(history, list.id)) {
    const path = pathOf(line, attribute.slug ?? '', times);
    if (path) paths.push(path);
  }
  const ids = stages.map(({ id }) => id);
  const labelOf = new Map(stages.map(({ id, label }) => [id, label]));
  const counts = funnel(paths, ids, range, times.newest);
  const rows = counts.map(({ stage, reached, ...others }, index): FunnelRow => {
    const next = ids[index + 1];
    const to = Object.fromEntries([...reached].map(([id, count]) => [labelOf.get(id) ?? id, count]));
    const converted = next === undefined ? null : (reached.get(next) ?? 0);
    return { stageId: stage, stage: labelOf.get(stage) ?? stage, ...others, next: converted, to };
  });
  const stale = staleStays(paths, counts, times.newest).map(({ path, stay, days, usual }) => ({
    id: path.entry.id,
    title: path.entry.title,
    stage: labelOf.get(stay.option ?? '') ?? stay.option ?? '',
    since: stay.isStartKnown ? new Date(stay.from).toISOString() : null,
    days,
    usual,
    over: days - usual,
  }));
  const heading = attribute.name ?? flags.by;
  return { list, heading, stages, rows, stale, since: new Date(Math.max(range.from, times.first)).toISOString() };
}

function pathStages(
  attribute: CustomListAttribute,
  labels: readonly string[] | undefined,
): { id: string; label: string }[] {
  const { slug, attribute_type: type } = attribute;
  if (type !== 'select' && type !== 'status') {
    throw usage(`--by ${slug} is of the type ${type}, and a funnel needs a select or status`, 'name another attribute');
  }
  const all = (optionsOf(attribute) ?? []).flatMap(({ id, label }) => (id ? [{ id, label: label ?? id }] : []));
  if (labels === undefined) return all;
  const words = labels.flatMap((text) => text.split(',')).map((word) => word.trim());
  const chosen = words.map((word) => optionId(attribute, word, '--stages'));
  if (new Set(chosen).size < chosen.length) throw usage('--stages names a stage twice');
  return chosen.map((id) => all.find((option) => option.id === id) ?? { id, label: id });
}

interface FunnelRow extends Omit<StageCounts, 'reached'> {
  stageId: string;
  /** Entries that reached the next stage; null for the last stage. */
  next: number | null;
  /** Entries that reached each later stage, by label. */
  to: Record<string, number>;
}

type CountKey = 'already' | 'entered' | 'left' | 'staying' | 'now' | 'gone' | 'next' | 'stale';

const rare = { hidden: true };

function funnelColumns({ stages, heading: stage }: Pick<FunnelResult, 'stages' | 'heading'>): Column<FunnelRow>[] {
  const count = (key: CountKey, heading: string, rank: number): Column<FunnelRow> => {
    return { key, heading, type: 'integer', rank, get: (row) => row[key] };
  };
  return [
    { key: 'stage', heading: stage, rank: 1, whole: true, get: (row) => row.stage },
    count('entered', 'Entered', 2),
    count('now', 'Now', 3),
    count('left', 'Left', 4),
    count('next', 'To next', 5),
    {
      key: 'nextPercent',
      heading: '%',
      type: 'percent',
      digits: 1,
      rank: 6,
      get: ({ next, entered }) => (next === null || entered === 0 ? null : roundTo((next / entered) * 100, 4)),
    },
    days('median', 'Half left (days)', 7, ({ median }) => median),
    days('p90', '90% left (days)', 8, ({ p90 }) => p90),
    count('stale', 'Stale', 9),
    { key: 'mean', heading: 'Mean of ended (days)', type: 'number', digits: 1, rank: 29, get: (row) => day(row.mean) },
    count('staying', 'Still', 32),
    count('gone', 'Archived', 32),
    count('already', 'Already', 33),
    ...stages.slice(1).map(
      ({ label }, index): Column<FunnelRow> => ({
        key: `to.${label}`,
        heading: `To ${label}`,
        type: 'integer',
        rank: 40 + index,
        path: ['to', label],
        get: ({ to }) => (Object.hasOwn(to, label) ? to[label] : undefined),
      }),
    ),
    {
      key: 'medianBeyond',
      heading: 'Half left after',
      type: 'number',
      ...rare,
      get: ({ median }) => day(median.beyond),
    },
    { key: 'p90Beyond', heading: '90% left after', type: 'number', ...rare, get: ({ p90 }) => day(p90.beyond) },
    { key: 'stageId', heading: 'Stage ID', type: 'id', ...rare, get: (row) => row.stageId },
  ];
}

/** Days of a quantile. `> 90` means that too few stays have ended within 90 days. */
function days(key: string, heading: string, rank: number, of: (row: FunnelRow) => Quantile): Column<FunnelRow> {
  return {
    key,
    heading,
    type: 'number',
    digits: 1,
    rank,
    get: (row) => day(of(row).time),
    shown: (row) => {
      const { time, beyond } = of(row);
      if (time !== null) return Number(day(time)).toFixed(1);
      return beyond === null ? undefined : `> ${day(beyond)}`;
    },
  };
}

/** Rounds to tenths of a day; syncs are further apart. */
function day(time: number | null): Numeric | null {
  return time === null ? null : roundTo(time, 1);
}

interface StaleRow {
  id: string | undefined;
  title: string | undefined;
  stage: string;
  /** Null if it began before the first sync. */
  since: string | null;
  days: number;
  usual: number;
  over: number;
}

const staleColumns: Column<StaleRow>[] = [
  { key: 'id', heading: 'ID', type: 'id', get: (row) => row.id },
  { key: 'title', heading: 'Title', rank: 1, get: (row) => row.title },
  { key: 'stage', heading: 'Stage', rank: 2, get: (row) => row.stage },
  { key: 'since', heading: 'Since', type: 'datetime', rank: 3, absent: 'first sync', get: (row) => row.since },
  { key: 'days', heading: 'Days', type: 'number', digits: 1, rank: 4, get: (row) => day(row.days) },
  { key: 'usual', heading: 'Usual', type: 'number', digits: 1, rank: 5, get: (row) => day(row.usual) },
  { key: 'over', heading: 'Over', type: 'number', digits: 1, rank: 6, get: (row) => day(row.over) },
];

async function drawFunnel(ctx: Context, chart: FunnelResult, kind: ReturnType<typeof pictureKind>): Promise<void> {
  const panel = panelOf(chart.rows);
  const title = cleanLine(chart.list.name ?? chart.list.slug ?? '');
  const facts = `entries that came into a stage since ${chart.since.slice(0, 10)}, and those in the next one afterwards`;
  if (kind === 'text') return drawPanels(ctx, [panel], 'bar');
  const { sizeOf, svgOf } = await import('../../output/chart/svg.ts');
  if (kind === 'svg' || kind === 'png') {
    const rules = { type: 'bar', ...sizeOf(1), titles: true, head: { title, facts } } as const;
    return writePicture(ctx, kind, svgOf([panel], rules));
  }
  const { figureSection, pageOf, panelFigures, tableSection } = await import('../../output/chart/page.ts');
  const columns = funnelColumns(chart).filter(({ hidden }) => !hidden);
  const sections = [
    figureSection('Funnel', panelFigures([panel], 'bar')),
    tableSection({ heading: 'Stages', columns, rows: chart.rows }),
  ];
  await ctx.out.text(pageOf({ title, facts: [facts, timeFact(ctx)], sections }));
}

function panelOf(rows: readonly FunnelRow[]): Panel {
  const bars = (label: string, dash: number, of: (row: FunnelRow) => number | undefined) => ({
    label,
    metricId: label,
    dash,
    values: rows.map(of),
  });
  return {
    title: 'Entries by stage',
    periods: rows.map(({ stage }) => cleanLine(stage)),
    series: [bars('Entered', 0, (row) => row.entered), bars('To the next', 1, (row) => row.next ?? undefined)],
  };
}
