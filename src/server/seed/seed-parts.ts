/** What the parts of the seed's schema share. */
import { dateTime, nullable, string, uuid } from '../../contract/schema.ts';

export const closed = { additionalProperties: false } as const;
export const text = (description: string) => string({ minLength: 1, description });
export const optionalText = nullable(string());
export const company = text('slug of a company of this file, or the name or id of one in the database');
export const user = text('email (or id) of a user of this file or of the database');
export const id = uuid({ description: 'left out: made from the names, the same at every load' });
export const stamps = { created_at: dateTime(), updated_at: dateTime() };
