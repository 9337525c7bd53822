/** Panels as figures of a page: each picture in two sizes, with what must be said below it. */
import type { Figure } from './page.ts';
import { gapCount, type Panel } from './panel.ts';
import { type ChartType, svgOf, type VerdictBar, verdictSvg } from './svg.ts';

const widths = { wide: 880, narrow: 360 };

/** A figure for each panel, with its gaps and notes in the caption. */
export function panelFigures(panels: readonly Panel[], type: ChartType): Figure[] {
  return panels.map((panel) => {
    const gaps = panel.series.flatMap((series) => {
      const count = gapCount(series);
      return count === 0 ? [] : [`${series.label}: ${count === 1 ? '1 gap' : `${count} gaps`}`];
    });
    return {
      heading: `${panel.title}${panel.unit === undefined ? '' : ` (${panel.unit})`}`,
      wide: svgOf([panel], { type, width: widths.wide, height: 320, titles: false }),
      narrow: svgOf([panel], { type, width: widths.narrow, height: 260, titles: false }),
      caption: [...gaps, ...(panel.notes ?? [])].join('; '),
    };
  });
}

/** Bars above and below a plan. */
export function verdictFigure(heading: string, bars: readonly VerdictBar[]): Figure {
  const draw = (width: number) => verdictSvg(heading, bars, { width, height: 220, titles: false });
  const caption = 'green is better than planned, red is worse, grey is neither';
  return { heading, wide: draw(widths.wide), narrow: draw(widths.narrow), caption };
}
