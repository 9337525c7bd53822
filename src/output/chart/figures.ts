/** Panels as figures of a page: each picture in two sizes, with what must be said below it. */
import { acrossOf, type Figure } from './page.ts';
import { gapCount, type Panel } from './panel.ts';
import { type ChartType, svgOf, type VerdictBar, verdictSvg } from './svg.ts';

const narrow = 360;
/** By how many pictures are beside each other. */
const wide = {
  1: { width: 960, height: 330 },
  2: { width: 470, height: 260 },
  3: { width: 320, height: 230 },
} as const;

/** A figure for each panel, with its gaps and notes in the caption. */
export function panelFigures(panels: readonly Panel[], type: ChartType): Figure[] {
  const size = wide[acrossOf(panels.length)];
  return panels.map((panel) => {
    const { notes = [], ...drawn } = panel;
    const gaps = panel.series.flatMap((series) => {
      const count = gapCount(series);
      return count === 0 ? [] : [`${series.label}: ${count === 1 ? '1 gap' : `${count} gaps`}`];
    });
    return {
      heading: `${panel.title}${panel.unit === undefined ? '' : ` (${panel.unit})`}`,
      wide: svgOf([drawn], { type, ...size, titles: false }),
      narrow: svgOf([drawn], { type, width: narrow, height: 240, titles: false }),
      caption: [...gaps, ...notes].join('; '),
    };
  });
}

/** Bars above and below a plan; `among` so many pictures. */
export function verdictFigure(heading: string, bars: readonly VerdictBar[], among: number): Figure {
  const { width } = wide[acrossOf(among)];
  const draw = (pixels: number) => verdictSvg(heading, bars, { width: pixels, height: 210, titles: false });
  return { heading, wide: draw(width), narrow: draw(narrow) };
}
