/** A small world for the server's tests: two investors, a portfolio company, keys and sessions of every kind. */

import { type OperationId, operations } from '../../src/contract/index.ts';
import { fillPath, type Operation } from '../../src/contract/operation.ts';
import { issues } from '../../src/contract/validate.ts';
import { parseJson, stringifyJson } from '../../src/core/json.ts';
import type { Transport } from '../../src/core/wire.ts';
import { type ApiOptions, createApi } from '../../src/server/api.ts';
import { hashToken, hintOf } from '../../src/server/model/secrets.ts';
import { openStore, type Store, type StoreOptions } from '../../src/server/store/store.ts';
import { freshDatabase } from '../helpers/database.ts';

const uuid = (group: string, n: number) => `${group.padStart(8, '0')}-0000-4000-8000-${String(n).padStart(12, '0')}`;

export const now = new Date('2026-02-15T12:00:00.000Z');
const at = '2026-01-01T00:00:00.000Z';

export const companies = { fund: uuid('c0', 1), startup: uuid('c0', 2), rival: uuid('c0', 3), side: uuid('c0', 4) };
export const users = { ann: uuid('a0', 1), ben: uuid('a0', 2), cat: uuid('a0', 3) };
export const unknown = uuid('f0', 99);

/** Ann: fund, startup and side. Ben: rival. Cat: startup. */
export const tokens = {
  ann: 'cmk_ann-everything-0123456789',
  annStartup: 'cmk_ann-startup-0123456789',
  actuals: 'cmk_ann-actuals-0123456789',
  plans: 'cmk_ann-plans-0123456789',
  ben: 'cmk_ben-everything-0123456789',
  cat: 'cmk_cat-everything-0123456789',
  expired: 'cmk_ann-expired-0123456789',
  revoked: 'cmk_ann-revoked-0123456789',
  oauth: 'oat_ann-0123456789',
};
export const sessions = {
  ann: 'session-of-ann-0123456789',
  ben: 'session-of-ben-0123456789',
  expired: 'session-that-expired-0123456789',
  ended: 'session-that-ended-0123456789',
};

const all = ['metrics.actuals:read', 'metrics.plans:read'];

export async function populate(store: Store): Promise<void> {
  await store.write(async (db) => {
    const company = (id: string, name: string, currency = 'USD') => ({
      id,
      name,
      currency,
      vertical: null,
      stage: 'seed',
      created_at: at,
    });
    await db
      .insertInto('companies')
      .values([
        company(companies.fund, 'Fund'),
        company(companies.startup, 'Startup', 'EUR'),
        company(companies.rival, 'Rival'),
        company(companies.side, 'Side'),
      ])
      .execute();
    await db
      .insertInto('users')
      .values(Object.entries(users).map(([name, id]) => ({ id, email: `${name}@example.com`, name, created_at: at })))
      .execute();
    await db
      .insertInto('memberships')
      .values([
        { user_id: users.ann, company_id: companies.fund },
        { user_id: users.ann, company_id: companies.startup },
        { user_id: users.ann, company_id: companies.side },
        { user_id: users.ben, company_id: companies.rival },
        { user_id: users.cat, company_id: companies.startup },
      ])
      .execute();
    const token = (name: keyof typeof tokens, user: string, companyId: string, scopes = all, more = {}) => ({
      id: uuid('70', Object.keys(tokens).indexOf(name)),
      kind: name === 'oauth' ? ('oauth' as const) : ('api_key' as const),
      token_hash: hashToken(tokens[name]),
      hint: hintOf(tokens[name]),
      name,
      user_id: user,
      company_id: companyId,
      scopes: JSON.stringify(scopes),
      created_at: at,
      expires_at: null,
      revoked_at: null,
      ...more,
    });
    await db
      .insertInto('tokens')
      .values([
        token('ann', users.ann, companies.fund),
        token('annStartup', users.ann, companies.startup),
        token('actuals', users.ann, companies.startup, all.slice(0, 1)),
        token('plans', users.ann, companies.startup, all.slice(1)),
        token('ben', users.ben, companies.rival),
        token('cat', users.cat, companies.startup),
        token('expired', users.ann, companies.fund, all, { expires_at: '2026-02-15T12:00:00.000Z' }),
        token('revoked', users.ann, companies.fund, all, { revoked_at: at }),
        token('oauth', users.ann, companies.startup),
      ])
      .execute();
    const session = (
      name: keyof typeof sessions,
      user: string,
      expires_at: string,
      revoked_at: string | null = null,
    ) => ({
      id: uuid('50', Object.keys(sessions).indexOf(name)),
      token_hash: hashToken(sessions[name]),
      hint: hintOf(sessions[name]),
      user_id: user,
      created_at: at,
      expires_at,
      revoked_at,
    });
    await db
      .insertInto('sessions')
      .values([
        session('ann', users.ann, '2099-01-01T00:00:00.000Z'),
        session('ben', users.ben, '2099-01-01T00:00:00.000Z'),
        session('expired', users.ann, '2026-02-01T00:00:00.000Z'),
        session('ended', users.ann, '2099-01-01T00:00:00.000Z', at),
      ])
      .execute();
  });
}

export interface Sent {
  params?: Record<string, string>;
  /** A string is sent as it is. */
  query?: Record<string, unknown> | string;
  body?: unknown;
  /** The key or session that is sent, by the kind of the operation's row; null: none. */
  as?: string | null | undefined;
  headers?: Record<string, string> | undefined;
}

export interface Got {
  status: number;
  headers: Record<string, string>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  body: any;
}

export interface World {
  store: Store;
  api: Transport;
  /** Calls an operation as Ann unless told otherwise, and holds every body against the contract. */
  call(id: OperationId, sent?: Sent): Promise<Got>;
  close(): Promise<void>;
}

/** On the engine that the tests run on, unless a database is named. */
export async function world(options: ApiOptions = {}, database?: StoreOptions): Promise<World> {
  const store = await openStore(database ?? (await freshDatabase()));
  await populate(store);
  const api = createApi(store, {
    now: () => now,
    ...options,
    onError: (error) => {
      throw error;
    },
  });
  return { store, api, call: (id, sent) => call(api, id, sent), close: () => store.close() };
}

export async function call(api: Transport, id: OperationId, sent: Sent = {}): Promise<Got> {
  const op: Operation = operations[id];
  const query =
    typeof sent.query === 'string' ? sent.query : new URLSearchParams(sent.query as Record<string, string>).toString();
  const given =
    typeof sent.body === 'string' ? sent.body : sent.body === undefined ? undefined : stringifyJson(sent.body);
  const answer = await api({
    method: op.method,
    url: `http://embedded${fillPath(op.path, sent.params ?? {})}${query === '' ? '' : `?${query}`}`,
    headers: {
      ...(given !== undefined && { 'content-type': 'application/json' }),
      ...credential(op, sent.as),
      ...sent.headers,
    },
    ...(given !== undefined && { body: given }),
  });
  const text = Buffer.from(answer.body).toString();
  const body = text === '' ? undefined : parseJson(text);
  holdAgainstContract(op, answer.status, body);
  return { status: answer.status, headers: answer.headers, text, body };
}

function credential(op: Operation, as: string | null | undefined): Record<string, string> {
  if (as === null) return {};
  if (op.credential === 'key') return { authorization: `Bearer ${as ?? tokens.ann}` };
  return { cookie: `theme=dark; comem-auth-token=${as ?? sessions.ann}` };
}

function holdAgainstContract(op: Operation, status: number, body: unknown): void {
  const wrong = (says: unknown) => new Error(`${op.id} ${status}: ${JSON.stringify(says)} in ${JSON.stringify(body)}`);
  if (status < 300 || (op.id === 'stepEntry' && status === 409)) {
    if (op.result === undefined) {
      if (body !== undefined) throw wrong('a body where none belongs');
    } else {
      const found = issues(op.result, body);
      if (found.length > 0) throw wrong(found);
    }
    return;
  }
  const error = body as { error?: unknown; status?: unknown };
  if (typeof error?.error !== 'string' || error.error === '' || error.status !== status) throw wrong('no Error body');
}
