/** Opaque cursors of pages, which are signed with the query that they belong to. */
import { createHmac } from 'node:crypto';
import { invalid } from '../model/failure.ts';
import { sameSecret } from '../model/secrets.ts';

/** `binding` is whatever must stay the same from page to page. */
export function sealCursor(secret: string, binding: readonly unknown[], position: readonly unknown[]): string {
  return sealed(secret, binding, Buffer.from(JSON.stringify(position)).toString('base64url'));
}

/** The position of a cursor that `sealCursor` created for the same binding; 400 for any other text. */
export function openCursor(secret: string, binding: readonly unknown[], cursor: string): unknown[] {
  const [text = ''] = cursor.split('.');
  // The complete text is compared: base64 has several spellings of the same bytes.
  if (!sameSecret(cursor, sealed(secret, binding, text))) {
    throw invalid({
      path: 'cursor',
      message: 'is not a nextCursor of this query: it was changed, or company, parameters or grant differ',
    });
  }
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
}

/** The text with its signature. */
function sealed(secret: string, binding: readonly unknown[], text: string): string {
  const signature = createHmac('sha256', secret)
    .update(JSON.stringify([binding, text]))
    .digest()
    .subarray(0, 18);
  return `${text}.${signature.toString('base64url')}`;
}
