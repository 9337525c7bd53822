/** What the number format of a cell says about its number: a date, a time, a share, an amount of a currency. */

export interface CellFormat {
  is: 'number' | 'date' | 'datetime' | 'time' | 'duration';
  /** `%`, or a currency as the format shows it: `€`, `USD`. */
  unit?: string | undefined;
}

const plain: CellFormat = { is: 'number' };

/** Formats that a file names by number only (ECMA-376, part 1, 18.8.30). */
const builtin = new Map<number, CellFormat>([
  ...between(14, 17, { is: 'date' }),
  ...between(18, 21, { is: 'time' }),
  [22, { is: 'datetime' }],
  ...between(27, 36, { is: 'date' }),
  ...between(45, 45, { is: 'time' }),
  [46, { is: 'duration' }],
  [47, { is: 'time' }],
  ...between(50, 58, { is: 'date' }),
  ...between(9, 10, { is: 'number', unit: '%' }),
]);

function between(first: number, last: number, format: CellFormat): [number, CellFormat][] {
  return Array.from({ length: last - first + 1 }, (_, at) => [first + at, format]);
}

export function formatOf(id: number, codes: ReadonlyMap<number, string>): CellFormat {
  const code = codes.get(id);
  return code === undefined ? (builtin.get(id) ?? plain) : understood(code);
}

/** The signs and codes by which a format names a currency. */
const sign = /\p{Sc}|\b[A-Z]{3}\b|\bFr\.|\bkr\b|zł|Kč/u;

/** A format code, by its part for positive numbers. */
export function understood(code: string): CellFormat {
  const section = firstSection(code);
  const quoted = [...section.matchAll(/"([^"]*)"|\\(.)|\[\$([^\]-]*)(?:-[^\]]*)?\]/gu)].map(
    ([, text, escaped, currency]) => text ?? escaped ?? currency ?? '',
  );
  const elapsed = /\[(h+|m+|s+)\]/i.test(section);
  // Colours and conditions are in brackets; a blank or filling character follows _ and *.
  const bare = section.replace(/"[^"]*"|\\.|\[[^\]]*\]|[_*]./gu, '');
  if (elapsed) return { is: 'duration' };
  if (!/^general$/i.test(bare.trim()) && /[dmyhs]/i.test(bare.replace(/general/gi, ''))) {
    const day = /[dy]/i.test(bare) || /m{3,}/i.test(bare) || !/[hs]/i.test(bare);
    const time = /[hs]/i.test(bare);
    return { is: day ? (time ? 'datetime' : 'date') : 'time' };
  }
  if (bare.includes('%')) return { is: 'number', unit: '%' };
  const unit = sign.exec([...quoted, bare.replace(/general/gi, '')].join(' '))?.[0];
  return unit === undefined ? plain : { is: 'number', unit };
}

/** Up to the first semicolon that is not quoted. */
function firstSection(code: string): string {
  return /^(?:"[^"]*"|\\.|\[[^\]]*\]|[^;"\\[])*/su.exec(code)?.[0] ?? code;
}

const dayLength = 86_400_000;

/**
 * The number of a cell as its format shows it: a day `2024-01-31`, an instant without a zone `2024-01-31T13:45:00`, a
 * time `13:45:00`. Undefined for a number that is not a date.
 */
export function timeText(serial: number, { is }: CellFormat, from1904: boolean): string | undefined {
  const milliseconds = Math.round(serial * dayLength);
  if (is === 'duration' || (is === 'time' && serial >= 0 && serial < 1)) return clock(milliseconds);
  if (is === 'time') return undefined;
  const days = Math.floor(milliseconds / dayLength);
  const zero = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, days < 61 ? 31 : 30);
  // In the 1900 system day 0 is not a date, and day 60 is one that did not exist.
  if (!(days >= (from1904 ? 0 : 1)) || (!from1904 && days === 60)) return undefined;
  const date = new Date(zero + days * dayLength);
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999) return undefined;
  const day = date.toISOString().slice(0, 10);
  const rest = milliseconds - days * dayLength;
  return is === 'date' || rest === 0 ? day : `${day}T${clock(rest)}`;
}

function clock(milliseconds: number): string | undefined {
  if (!Number.isFinite(milliseconds) || milliseconds < 0) return undefined;
  const two = (number: number) => String(number).padStart(2, '0');
  const seconds = Math.floor(milliseconds / 1000);
  const fraction = milliseconds % 1000 === 0 ? '' : `.${String(milliseconds % 1000).padStart(3, '0')}`;
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${fraction}`;
}
