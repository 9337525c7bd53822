/** The input and result of a handler: no HTTP except the status, when several are possible; and the cursors of pages. */
import { createHmac } from 'node:crypto';
import type { Body, Operation, Params, Query, Result } from '../../contract/operation.ts';
import type { Headers } from '../../core/wire.ts';
import { invalid } from '../model/failure.ts';
import { sameSecret } from '../model/secrets.ts';
import type { Reader } from '../store/replica.ts';
import type { Store } from '../store/store.ts';

/** The caller: a user, by a key or token that is bound to one company, or by a web session. */
export interface Caller extends Reader {
  kind: 'api_key' | 'oauth' | 'session';
  /** The companies that the user is a member of. */
  companies: ReadonlySet<string>;
  /** The company of the key or token. */
  bound?: string | undefined;
  scopes: ReadonlySet<string>;
  /** Its row, and the state of the database in which it was read (engine.ts); absent where it is in no table. */
  credential?: { id: string; state: string };
}

export interface Call<O extends Operation = Operation> {
  params: Params<O>;
  query: Query<O>;
  body: Body<O>;
  caller: Caller;
  /** The company that the request names, else the one that the key is bound to. */
  company: string | undefined;
  /** The companies whose lists and entries the call may see: `company`, or all of the session's user. */
  companies: readonly string[];
  store: Store;
  now: Date;
  /** A page never holds more rows than this, whatever `limit` says. */
  maxPage: number;
}

/** A body that is JSON already: it is sent as it is. */
export class JsonText {
  constructor(readonly text: string) {}
}

export interface Answer<T> {
  body: T | JsonText;
  /** Default: the operation's `success`. */
  status?: number;
  headers?: Headers | undefined;
}

export type Handler<O extends Operation> = (call: Call<O>) => Promise<Answer<Result<O>>>;

/** `binding` is whatever must stay the same from page to page. */
export function sealCursor(secret: string, binding: readonly unknown[], position: readonly unknown[]): string {
  return seal(secret, binding, Buffer.from(JSON.stringify(position)).toString('base64url'));
}

/** The position of a cursor that `sealCursor` created for the same binding; 400 for any other text. */
export function openCursor(secret: string, binding: readonly unknown[], cursor: string): unknown[] {
  const [text = ''] = cursor.split('.');
  // The complete text is compared: base64 has several spellings of the same bytes.
  if (!sameSecret(cursor, seal(secret, binding, text))) {
    throw invalid({
      path: 'cursor',
      message: 'is not a nextCursor of this query: it was changed, or company, parameters or grant differ',
    });
  }
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
}

/** The text with its signature. */
function seal(secret: string, binding: readonly unknown[], text: string): string {
  const signature = createHmac('sha256', secret)
    .update(JSON.stringify([binding, text]))
    .digest()
    .subarray(0, 18);
  return `${text}.${signature.toString('base64url')}`;
}
