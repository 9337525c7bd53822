/** What was read from a text, and where in it each value is. */
export interface Place {
  /** From 1. */
  line: number;
  /** From 1, in UTF-16 units. */
  column: number;
}

export interface Located {
  value: unknown;
  /** Where the value under a dotted path is (`points.0.period`); the nearest that exists when it is missing. */
  place(path: string): Place;
}
