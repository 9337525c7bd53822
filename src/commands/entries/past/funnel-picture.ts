/** A funnel as bars on the terminal, as a picture or as a page. */

import type { Context } from '../../../cli/context.ts';
import { type pictureKind, writePicture } from '../../../cli/picture.ts';
import type { PastList } from '../../../domain/history/find.ts';
import type { Panel } from '../../../output/chart/panel.ts';
import { asciiOnly, type Color, cleanLine, painter } from '../../../output/terminal-text.ts';
import { type FunnelRow, funnelColumns } from './funnel-columns.ts';

const colors: readonly Color[] = ['cyan', 'yellow'];

interface Drawn {
  list: PastList;
  stages: readonly { id: string; label: string }[];
  rows: readonly FunnelRow[];
  since: string;
}

export async function drawFunnel(ctx: Context, found: Drawn, kind: ReturnType<typeof pictureKind>): Promise<void> {
  const panels = panelsOf(found);
  const title = cleanLine(found.list.name ?? found.list.slug ?? '');
  const facts = `entries that came into a stage since ${found.since.slice(0, 10)}, and those in the next one afterwards`;
  if (kind === 'text') {
    const { drawBars } = await import('../../../output/chart/terminal.ts');
    const { terminal, env } = ctx.runtime;
    const color = terminal.color.stdout && ctx.settings.out === undefined;
    const paint = await painter(color);
    const rules = {
      ...{ width: Math.max(24, terminal.columns - 1), height: 12, ascii: asciiOnly(env), color },
      paint: (series: number, text: string) => paint(colors[series % colors.length] ?? 'cyan', text),
    };
    return ctx.out.text(`${panels.map((panel) => drawBars(panel, rules).join('\n')).join('\n\n')}\n`);
  }
  const { sizeOf, svgOf } = await import('../../../output/chart/svg.ts');
  const rules = { type: 'bar', ...sizeOf(panels.length), titles: true } as const;
  if (kind === 'svg' || kind === 'png')
    return writePicture(ctx, kind, svgOf(panels, { ...rules, head: { title, facts } }));
  const { figureSection, pageOf, tableSection } = await import('../../../output/chart/page.ts');
  const figures = panels.map((panel) => ({
    heading: panel.title,
    wide: svgOf([panel], { type: 'bar', width: 960, height: 320, titles: false }),
    narrow: svgOf([panel], { type: 'bar', width: 360, height: 320, titles: false }),
  }));
  const columns = funnelColumns(
    found.stages,
    found.rows.some(({ cohort }) => cohort !== null) ? 'Cohort' : undefined,
    false,
  );
  const sections = [
    figureSection('Funnel', figures),
    tableSection({ heading: 'Stages', columns: columns.filter(({ hidden }) => !hidden), rows: found.rows }),
  ];
  await ctx.out.text(pageOf({ title, facts: [facts, `created ${ctx.now().toISOString().slice(0, 10)}`], sections }));
}

/** A panel for each cohort: bars of the stages. */
function panelsOf({ rows }: Drawn): Panel[] {
  const cohorts = [...new Set(rows.map(({ cohort }) => cohort))];
  return cohorts.map((cohort): Panel => {
    const own = rows.filter((row) => row.cohort === cohort);
    const bars = (label: string, version: string, dashed: boolean, of: (row: FunnelRow) => number | undefined) => ({
      ...{ label, metricId: version, version, dashed },
      values: own.map(of),
    });
    return {
      title: cohort === null ? 'Entries by stage' : cleanLine(String(cohort)),
      periods: own.map(({ stage }) => cleanLine(stage)),
      series: [
        bars('Entered', 'entered', false, (row) => row.entered),
        bars('To the next', 'next', true, (row) => row.next ?? undefined),
      ],
    };
  });
}
