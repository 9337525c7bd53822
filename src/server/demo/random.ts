/** Numbers that look random and are the same at every start. */
export class Random {
  constructor(private state: number) {}

  /** In [0, 1): the generator "mulberry32". */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** An integer from `low` to `high`, both included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  /** Around 0, mostly within ±1. */
  noise(): number {
    return (this.next() + this.next() + this.next()) * 2 - 3;
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() * items.length)] as T;
  }

  /** One of the keys, each as often as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) {
      left -= weight;
      if (left < 0) return key;
    }
    return (entries.at(-1) as [K, number])[0];
  }

  /** Some of the items, each once, in their order. */
  some<T>(items: readonly T[], count: number): T[] {
    const left = [...items];
    while (left.length > count) left.splice(Math.floor(this.next() * left.length), 1);
    return left;
  }
}

const day = 86_400_000;

/** The date `days` before another, as YYYY-MM-DD; later when `days` is negative. */
export function daysBefore(date: string, days: number): string {
  return new Date(Date.parse(date) - days * day).toISOString().slice(0, 10);
}

/** `value` with so many decimals at the most. */
export function round(value: number, decimals = 0): number {
  const factor = 10 ** decimals;
  return Math.round(value * factor) / factor;
}

/** `value` to so many leading digits, as people write estimates. */
export function rough(value: number, digits = 2): number {
  return Number(value.toPrecision(digits));
}
