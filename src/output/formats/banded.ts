/** A table with groups of columns, each under a heading; groups that do not fit continue below. */
import { cleanLine } from '../terminal-text.ts';
import { width } from '../width.ts';

interface BandedTable {
  /** The columns of every block, at its left. */
  lead: readonly { heading: string; cells: readonly string[] }[];
  bands: readonly { heading: string; columns: readonly BandColumn[] }[];
}

interface BandColumn {
  heading: string;
  cells: readonly string[];
  /** Numbers are. */
  right: boolean;
}

const gap = '  ';

/** @param room cells of the terminal; undefined: all bands are beside each other */
export function bandedTable({ lead, bands }: BandedTable, room: number | undefined): string {
  const left = lead.map(({ heading, cells }) => laidOut({ heading, cells, right: false }));
  const laid = bands.map(({ heading, columns }) => bandOf(cleanLine(heading), columns.map(laidOut)));
  const taken = sizeOf(left);
  const blocks: (typeof laid)[] = [];
  let used = 0;
  for (const band of laid) {
    const last = blocks.at(-1);
    used += gap.length + band.size;
    if (last && (room === undefined || taken + used <= room)) {
      last.push(band);
      continue;
    }
    blocks.push([band]);
    used = gap.length + band.size;
  }
  return blocks.map((block) => blockOf(left, block)).join('\n');
}

interface Laid {
  size: number;
  /** The heading and the cells, all of one width. */
  lines: string[];
}

function laidOut({ heading, cells, right }: BandColumn): Laid {
  const texts = [heading, ...cells].map(cleanLine);
  const size = Math.max(...texts.map(width));
  return { size, lines: texts.map((text) => padded(text, size, right)) };
}

function padded(text: string, size: number, right: boolean): string {
  const blanks = ' '.repeat(Math.max(size - width(text), 0));
  return right ? blanks + text : text + blanks;
}

function bandOf(heading: string, columns: readonly Laid[]): Laid {
  const size = Math.max(sizeOf(columns), width(heading));
  const count = columns[0]?.lines.length ?? 0;
  const lines = Array.from({ length: count }, (_, at) =>
    padded(columns.map(({ lines }) => lines[at] ?? '').join(gap), size, false),
  );
  return { size, lines: [padded(heading, size, false), ...lines] };
}

function sizeOf(columns: readonly Laid[]): number {
  return columns.reduce((sum, { size }) => sum + size, 0) + gap.length * Math.max(columns.length - 1, 0);
}

function blockOf(left: readonly Laid[], bands: readonly Laid[]): string {
  const count = bands[0]?.lines.length ?? 0;
  return Array.from({ length: count }, (_, at) => {
    // The bands have one line more than the columns at the left: their headings.
    const before = left.map(({ size, lines }) => (at === 0 ? ' '.repeat(size) : (lines[at - 1] ?? '')));
    return `${[...before, ...bands.map(({ lines }) => lines[at] ?? '')].join(gap).trimEnd()}\n`;
  }).join('');
}
