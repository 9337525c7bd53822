/** Opaque cursors: a position, and a signature over it and over what it belongs to, so that no other use of it is taken. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalid } from './failure.ts';

/** `binding` is whatever must stay the same from page to page. */
export function sealCursor(secret: string, binding: readonly unknown[], position: readonly unknown[]): string {
  const text = Buffer.from(JSON.stringify(position)).toString('base64url');
  return `${text}.${sign(secret, binding, text).toString('base64url')}`;
}

/** The position of a cursor that `sealCursor` made for the same binding; 400 for any other text. */
export function openCursor(secret: string, binding: readonly unknown[], cursor: string): unknown[] {
  const [text = '', signature = ''] = cursor.split('.');
  const given = Buffer.from(signature, 'base64url');
  const expected = sign(secret, binding, text);
  // The text is compared too: base64 has several spellings of the same bytes.
  const spelled = `${text}.${expected.toString('base64url')}` === cursor;
  if (given.length !== expected.length || !timingSafeEqual(given, expected) || !spelled) {
    throw invalid({
      path: 'cursor',
      message: 'is not a nextCursor of this query: it was changed, or company, parameters or grant differ',
    });
  }
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
}

function sign(secret: string, binding: readonly unknown[], text: string): Buffer {
  return createHmac('sha256', secret)
    .update(JSON.stringify([binding, text]))
    .digest()
    .subarray(0, 18);
}
