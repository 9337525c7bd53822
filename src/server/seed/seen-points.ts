/** Which points a file has had, a bit for each, so that a repeated one is found among millions. */
import type { Version } from '../../contract/metrics.ts';
import { parsePeriod } from '../../core/periods.ts';

/** A point without its value. */
export interface BlankPoint {
  company: string;
  period: string;
  version: Version;
  metric: string;
}

/** A point that the file has twice; the place of the first is not known. */
export class RepeatedPoint extends Error {
  constructor(
    readonly line: number,
    readonly point: BlankPoint,
  ) {
    super('repeated');
  }
}

export function samePoint(a: BlankPoint, b: BlankPoint): boolean {
  return a.company === b.company && a.period === b.period && a.version === b.version && a.metric === b.metric;
}

/** The periods of one series, from a first byte on. */
interface Bits {
  first: number;
  bytes: Uint8Array;
}

export class SeenPoints {
  private readonly series = new Map<string, Bits>();

  /** False for a point that was added before. */
  add({ company, period, version, metric }: BlankPoint): boolean {
    const { type, index } = parsePeriod(period) ?? { type: '', index: 0 };
    const key = JSON.stringify([company, version, type, metric]);
    const byte = Math.floor(index / 8);
    const bits = within(this.series.get(key), byte);
    this.series.set(key, bits);
    const mask = 1 << (index - byte * 8);
    const before = bits.bytes[byte - bits.first] ?? 0;
    bits.bytes[byte - bits.first] = before | mask;
    return (before & mask) === 0;
  }
}

/** The bits with room for a byte. */
function within(bits: Bits | undefined, byte: number): Bits {
  if (bits === undefined) return { first: byte, bytes: new Uint8Array(1) };
  const end = bits.first + bits.bytes.length;
  if (byte >= bits.first && byte < end) return bits;
  const first = Math.min(bits.first, byte);
  const bytes = new Uint8Array(Math.max(end, byte + 1) - first);
  bytes.set(bits.bytes, bits.first - first);
  return { first, bytes };
}
