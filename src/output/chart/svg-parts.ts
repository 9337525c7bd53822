/** What pictures are made of: texts, lines, hatching, colours in light and dark. */

/** Each colour in light and in dark; the light one is also the attribute, for whatever knows no style sheets. */
const colors = {
  paper: ['#ffffff', '#16181d'],
  ink: ['#222222', '#e8e8e8'],
  dim: ['#5c6066', '#a8adb5'],
  grid: ['#e2e4e8', '#343841'],
  axis: ['#8a9099', '#767c87'],
  good: ['#0b7a75', '#3fc1ae'],
  bad: ['#c0392b', '#ff8a7a'],
  even: ['#6b7280', '#9aa1ad'],
  total: ['#33526e', '#8fb3d1'],
  // Told apart by eyes of every kind (Okabe and Ito), darker or lighter where the paper needs it.
  s0: ['#0072b2', '#5cb3e6'],
  s1: ['#c44e00', '#ff9a52'],
  s2: ['#00805c', '#3fcf9f'],
  s3: ['#b0508a', '#e9a6cc'],
  s4: ['#8a6508', '#e3bd55'],
  s5: ['#2b7fb8', '#8fd0f5'],
  s6: ['#444444', '#bdbdbd'],
} as const;
export type Ink = keyof typeof colors;

const hues = ['s0', 's1', 's2', 's3', 's4', 's5', 's6'] as const;
export const hueOf = (index: number): Ink => hues[index % hues.length] ?? 's0';

export const font = 'system-ui, -apple-system, Segoe UI, Helvetica Neue, Roboto, Arial, sans-serif';

/** Colours of a dark screen. Paper is light, whatever the screen is. */
export const darkStyle = (() => {
  const rules = Object.entries(colors).flatMap(([name, [, dark]]) => [
    `.f-${name}{fill:${dark}}`,
    `.l-${name}{stroke:${dark}}`,
  ]);
  return `@media screen and (prefers-color-scheme:dark){${rules.join('')}}`;
})();

export const fill = (ink: Ink): string => `class="f-${ink}" fill="${colors[ink][0]}"`;
export const stroke = (ink: Ink): string => `class="l-${ink}" fill="none" stroke="${colors[ink][0]}"`;

const haloed = (ink: Ink): string =>
  `class="f-${ink} l-paper" fill="${colors[ink][0]}" stroke="${colors.paper[0]}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"`;

interface TextLook {
  ink?: Ink;
  size?: number;
  anchor?: 'start' | 'middle' | 'end';
  bold?: boolean;
  /** An edge in the colour of the paper keeps it readable over lines. */
  halo?: boolean;
}

/** One line of text; `y` is its base. */
export function text(x: number, y: number, said: string, look: TextLook = {}): string {
  const { ink = 'ink', size = 11, anchor = 'start', bold = false, halo = false } = look;
  const weight = bold ? ' font-weight="600"' : '';
  const at = anchor === 'start' ? '' : ` text-anchor="${anchor}"`;
  return `<text x="${n(x)}" y="${n(y)}" font-size="${size}"${weight}${at} ${halo ? haloed(ink) : fill(ink)}>${escaped(said)}</text>`;
}

export function rule(x0: number, y0: number, x1: number, y1: number, ink: Ink, extra = ''): string {
  return `<path d="M${n(x0)} ${n(y0)}L${n(x1)} ${n(y1)}" ${stroke(ink)}${extra}/>`;
}

export function box(x: number, y: number, width: number, height: number, ink: Ink, extra = ''): string {
  return `<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(Math.max(height, 0.5))}" ${fill(ink)}${extra}/>`;
}

type Sides = readonly [x: number, y: number, width: number, height: number];

export function outlined([x, y, width, height]: Sides, ink: Ink, extra = ''): string {
  const place = `x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(Math.max(height, 0.5))}"`;
  return `<rect ${place} ${stroke(ink)}${extra}/>`;
}

/** A plan is light, with a dashed edge. */
export function barBox(place: Sides, ink: Ink, plan: boolean): string {
  if (!plan) return box(...place, ink);
  return `${box(...place, ink, ' opacity="0.22"')}${outlined(place, ink, ' stroke-dasharray="3 2"')}`;
}

const between = 5;

/** Slanted lines over a box, each drawn to its edges: a pattern would need a name that no other picture of a page has. */
export function hatch(x: number, y: number, width: number, height: number, ink: Ink, opacity = 1): string {
  let path = '';
  for (let offset = between; offset < width + height; offset += between) {
    // From the left or lower edge to the upper or right one.
    const [x0, y0] = offset <= height ? [x, y + offset] : [x + offset - height, y + height];
    const [x1, y1] = offset <= width ? [x + offset, y] : [x + width, y + offset - width];
    path += `M${n(x0)} ${n(y0)}L${n(x1)} ${n(y1)}`;
  }
  const faint = opacity < 1 ? ` opacity="${opacity}"` : '';
  return path === '' ? '' : `<path data-hatch="" d="${path}" ${stroke(ink)}${faint}/>`;
}

/** About how wide a text is; no font is measured. */
export function textWidth(said: string, size: number): number {
  let units = 0;
  for (const letter of said) {
    if (/[iljtfI.,:;|!'() ]/.test(letter)) units += 0.32;
    else if (/[mwMW%@]/.test(letter)) units += 0.86;
    else units += /[A-Z]/.test(letter) ? 0.66 : letter.charCodeAt(0) > 0x2e7f ? 1 : 0.57;
  }
  return units * size;
}

/** The text, or its beginning and `…` where it has no room. */
export function fitted(said: string, size: number, room: number): string {
  if (textWidth(said, size) <= room) return said;
  let kept = [...said];
  while (kept.length > 1 && textWidth(`${kept.join('')}…`, size) > room) kept = kept.slice(0, -1);
  return `${kept.join('').trimEnd()}…`;
}

/** Notes below the picture, as many lines as they need, at most three. */
export function noteLines(notes: readonly string[], room: number, size = 11): string[] {
  const lines: string[] = [];
  for (const note of notes) {
    const joined = lines.length === 0 ? note : `${lines.at(-1)}; ${note}`;
    if (lines.length > 0 && textWidth(joined, size) <= room) lines[lines.length - 1] = joined;
    else lines.push(fitted(note, size, room));
  }
  if (lines.length <= 3) return lines;
  return [...lines.slice(0, 2), fitted(`and ${notes.length - 2} more`, size, room)];
}

/** A number of an attribute: a tenth of a pixel is enough. */
export function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}

const names: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escaped(said: string): string {
  return said.replace(/[&<>"]/g, (found) => names[found] ?? '');
}
