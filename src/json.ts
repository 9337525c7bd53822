/**
 * JSON text with numbers kept exact.
 *
 * `JSON.parse` turns `1.10` into 1.1 and 12345678901234567890 into 12345678901234567000. Here a number literal that a
 * double would not print back the same becomes an ExactNumber, which prints its own text; every other number is a
 * plain `number`.
 */

/** A number whose literal text a double does not give back. */
export class ExactNumber {
  constructor(
    /** The literal as it stood in the JSON text. */
    readonly text: string,
  ) {}

  /** The nearest double, for comparing and for drawing. */
  valueOf(): number {
    return Number(this.text);
  }

  toString(): string {
    return this.text;
  }
}

export type Numeric = number | ExactNumber;

export function isNumeric(value: unknown): value is Numeric {
  return typeof value === 'number' || value instanceof ExactNumber;
}
