/** Fields that the API may leave out, where a choice depends on one of them. */
import { Failure } from './errors.ts';

/**
 * The value of a field on which a choice depends. Without it "no" would look like an answer.
 * @param row what the field is of, for people
 * @throws rejected where the server left it out
 */
export function needed<T>(value: T | null | undefined, field: string, row: string): T {
  if (value !== undefined && value !== null) return value;
  throw new Failure('rejected', `comem needs ${field} of ${row}, which the server left out`, {
    code: 'missing_field',
    hint: 'leave out what chooses by it, or name the rows by their ids',
  });
}

/** `the entry 0f1e…`, as a message names a row. */
export function rowName(kind: string, id: unknown): string {
  return typeof id === 'string' && id !== '' ? `the ${kind} ${id}` : `a ${kind} without an id`;
}
