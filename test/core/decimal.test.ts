import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { average, quotient } from '../../src/core/decimal.ts';
import { ExactNumber, numeric } from '../../src/core/json.ts';

const text = (value: unknown) => String(value);

describe('a quotient', () => {
  it.each([
    ['1', '3', '0.333333333333333'],
    ['2', '3', '0.666666666666667'],
    ['143.558', '3', '47.8526666666667'],
    ['-143.558', '3', '-47.8526666666667'],
    ['1', '8', '0.125'],
    ['1', '3000', '0.000333333333333333'],
    ['0', '7', '0'],
    // Exact ones keep every digit, and no digit before the point is lost.
    ['24691357802469135781', '2', '12345678901234567890.5'],
    ['1000000000000000001', '3', '333333333333333334'],
  ])('%s / %s is %s', (a, b, expected) => {
    expect(text(quotient(numeric(a), numeric(b)))).toBe(expected);
  });

  it('is null by zero', () => {
    expect(quotient(1, 0)).toBeNull();
  });

  it('of doubles that has no end is a double, so that no format makes text of it', () => {
    const amount = fc.integer({ min: -1e9, max: 1e9 }).map((cents) => cents / 100);
    fc.assert(
      fc.property(fc.array(amount, { minLength: 1, maxLength: 12 }), (values) => {
        const found = average(values);
        expect(found).not.toBeInstanceOf(ExactNumber);
        const near = values.reduce((total, value) => total + value, 0) / values.length;
        expect(Math.abs(Number(found) - near)).toBeLessThan(1e-5);
      }),
    );
  });
});
