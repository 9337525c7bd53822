/** Pictures as SVG text, without scripts and without anything to load. */
import type { Panel } from './panel.ts';
import { scaleOf } from './scale.ts';
import { type ChartType, type Place, type Plot, panelSvg, periodAxis, valueAxis } from './svg-panel.ts';
import { box, darkStyle, escaped, fitted, font, type Ink, text, textWidth } from './svg-parts.ts';

export type { ChartType } from './svg-panel.ts';

interface PictureRules {
  type: ChartType;
  /** CSS pixels. */
  width: number;
  /** Of one panel. */
  height: number;
  /** Draw the panels' titles; a page has headings for them. */
  titles: boolean;
  /** Panels beside each other; default one. */
  columns?: number;
  head?: Head | undefined;
}

/** The title of a picture in a file of its own, and a line below it. */
export interface Head {
  title: string;
  facts: string;
}

/** What a panel of a file needs: small multiples are smaller, and beside each other. */
export function sizeOf(panels: number): { width: number; height: number; columns: number } {
  if (panels < 2) return { width: 880, height: 340, columns: 1 };
  return panels < 5 ? { width: 960, height: 260, columns: 2 } : { width: 1200, height: 240, columns: 3 };
}

/** All panels as one SVG element with a viewBox. */
export function svgOf(panels: readonly Panel[], rules: PictureRules): string {
  const { columns = 1, width, height, head } = rules;
  const top = head ? headHeight : 0;
  const each = width / columns;
  const drawn = panels.map((panel, at) => {
    const place = { x: (at % columns) * each, y: top + Math.floor(at / columns) * height, width: each, height };
    return panelSvg(panel, place, rules);
  });
  const lines = Math.max(1, Math.ceil(panels.length / columns));
  const names = panels.map(({ title }) => title).join(', ');
  return picture(width, top + lines * height, names, head, drawn.join(''));
}

const headHeight = 56;

/** The picture around its parts. One of its own file has a background, and its colours for dark screens. */
export function picture(width: number, height: number, name: string, head: Head | undefined, parts: string): string {
  const own = head
    ? [
        `<style>${darkStyle}</style>`,
        box(0, 0, width, height, 'paper'),
        text(10, 28, fitted(head.title, 18, width - 20), { size: 18, bold: true }),
        text(10, 47, fitted(head.facts, 12, width - 20), { size: 12, ink: 'dim' }),
      ].join('')
    : '';
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const said = head ? `${head.title}: ${head.facts}` : name;
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="${escaped(said)}" ${size} font-family="${font}">${own}${parts}</svg>`;
}

/** One bar for each period with a percentage, in the colour of its verdict; its sign is the direction of the bar. */
export interface VerdictBar {
  period: string;
  percent: number | undefined;
  verdict: 'good' | 'bad' | 'even' | 'unknown';
}

export function verdictSvg(title: string, bars: readonly VerdictBar[], rules: Omit<PictureRules, 'type'>): string {
  const known = bars.flatMap(({ percent }) => percent ?? []);
  const scale = scaleOf(known, 4, true);
  const labels = scale.labels.map((each) => `${each}%`);
  const left = 14 + Math.max(...labels.map((each) => textWidth(each, 11)));
  const area: Place = { x: left, y: 22, width: rules.width - left - 10, height: rules.height - 22 - 26 };
  const [low, high] = [scale.ticks[0] ?? 0, scale.ticks.at(-1) ?? 1];
  const step = area.width / Math.max(bars.length, 1);
  const of = (value: number) => area.y + ((high - value) / (high - low)) * area.height;
  const plot: Plot = { ...area, step, at: (period) => area.x + (period + 0.5) * step, of };
  const periods = bars.map(({ period }) => period);
  const parts = [...valueAxis({ ...scale, labels }, plot), ...periodAxis(periods, plot)];
  const wide = Math.min(36, step * 0.7);
  for (const [at, { percent, verdict }] of bars.entries()) {
    if (percent === undefined) continue;
    const ink: Ink = verdict === 'unknown' ? 'even' : verdict;
    const [one, zero] = [of(percent), of(0)];
    parts.push(box(plot.at(at) - wide / 2, Math.min(one, zero), wide, Math.abs(one - zero), ink));
    if (step < 44) continue;
    const said = `${percent > 0 ? '+' : ''}${percent.toFixed(1)}%`;
    parts.push(text(plot.at(at), percent < 0 ? one + 13 : one - 5, said, { anchor: 'middle' }));
  }
  return picture(rules.width, rules.height, title, undefined, parts.join(''));
}
