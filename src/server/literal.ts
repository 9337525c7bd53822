import { numeric } from '../core/json.ts';

/**
 * The number of a stored literal, every digit kept. A literal that a double does not give back is an ExactNumber, which
 * the contract's types take for a number: it prints as one and nothing here counts with it.
 */
export function numberOf(literal: string): number {
  return numeric(literal) as number;
}
