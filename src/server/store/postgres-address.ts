/** Addresses of PostgreSQL as libpq reads them: hosts, their roles, time-outs; and the pool of the right host. */
import type { Pool, PoolClient } from 'pg';
import { Failure, usage } from '../../core/errors.ts';

/** Connections of one process. PostgreSQL accepts a hundred by default, for all processes together. */
export const maxConnections = 10;
/** Milliseconds that a request waits for a connection of the pool. */
const connectMs = 10_000;
/** In milliseconds; an address may have others as parameters. */
const defaultTimeouts = {
  /** Milliseconds that one statement of a request may run. */
  statement_timeout: 30_000,
  /** Milliseconds that a statement waits for another writer, as with SQLite. */
  lock_timeout: 15_000,
  /** A transaction that is idle this long belongs to a process that is stuck or gone. */
  idle_in_transaction_session_timeout: 60_000,
};
type Timeouts = typeof defaultTimeouts;
/** Milliseconds in which the answer comes to a statement that was cut: a server that is frozen cuts none. */
const answerMs = 2_000;

/** The address as it may be shown: without its password. */
export function shownAddress(address: string): string {
  try {
    const url = new URL(address);
    if (url.password !== '') url.password = '***';
    for (const name of [...url.searchParams.keys()]) {
      if (/password|key|cert/i.test(name)) url.searchParams.set(name, '***');
    }
    return url.href;
  } catch {
    return 'postgres://…';
  }
}

export type { PoolClient };

export interface Connected {
  pool: Pool;
  /** Sets the time-outs of a transaction; undefined where every connection keeps them. */
  localTimeouts: string | undefined;
  /** Milliseconds after which a statement without an answer has failed; 0: never. */
  patienceMs: number;
}

/** Opens the first host of the address that answers and, where the address asks for it, takes writes. */
export async function connect(address: string): Promise<Connected> {
  const [plainAddress, timeouts] = takeTimeouts(address);
  const { hosts, roles } = takeHosts(plainAddress);
  let failure: unknown;
  for (const [role, host] of roles.flatMap((role) => hosts.map((host) => [role, host] as const))) {
    let opened = await openPool(host, timeouts);
    // A pool of transactions, such as PgBouncer's, refuses settings of a session, or has been told to ignore them.
    if ('cause' in opened && codeOf(opened.cause) === protocolViolation) opened = await openPool(host, {});
    if ('cause' in opened) {
      failure ??= opened.cause;
      continue;
    }
    const { pool, statementTimeout, isStandby } = opened;
    if (role !== 'any' && isStandby !== (role === 'standby')) {
      failure = new Error(
        role === 'primary'
          ? 'none of its hosts takes writes: the others are standbys, or do not answer'
          : 'none of its hosts is a standby: the others take writes, or do not answer',
      );
      await pool.end();
      continue;
    }
    const patienceMs = timeouts.statement_timeout && timeouts.statement_timeout + answerMs;
    if (statementTimeout === timeouts.statement_timeout) return { pool, localTimeouts: undefined, patienceMs };
    const settings = Object.entries(timeouts).map(([name, ms]) => `set local ${name} = ${ms}`);
    return { pool, localTimeouts: settings.join('; '), patienceMs };
  }
  throw connectionFailure(failure, address);
}

interface Hosts {
  /** An address for each host. */
  hosts: string[];
  /** Roles of the host in order of preference. */
  roles: readonly ('any' | 'primary' | 'standby')[];
}

/** The roles that `target_session_attrs` asks for. */
const rolesByName: Readonly<Record<string, Hosts['roles']>> = {
  any: ['any'],
  'read-write': ['primary'],
  primary: ['primary'],
  'read-only': ['standby'],
  standby: ['standby'],
  'prefer-standby': ['standby', 'any'],
};

/** Reads several hosts and `target_session_attrs`, as libpq does: `postgres://a,b/comem?target_session_attrs=read-write`. */
export function takeHosts(address: string): Hosts {
  const [, start = '', authority = '', path = '', query = ''] =
    /^(\w+:\/\/(?:[^@/?]*@)?)([^/?]*)([^?]*)\??(.*)$/s.exec(address) ?? [];
  const parameters = new URLSearchParams(query);
  const name = parameters.get('target_session_attrs') ?? 'any';
  const roles = Object.hasOwn(rolesByName, name) ? rolesByName[name] : undefined;
  if (roles === undefined) {
    throw usage(`target_session_attrs of the database must be ${Object.keys(rolesByName).join(', ')}, not ${name}`);
  }
  parameters.delete('target_session_attrs');
  // Folders of sockets are in a parameter.
  const folders = parameters.get('host')?.split(',');
  const names = authority.split(',');
  const hosts = (folders ?? names).map((host, index) => {
    const ofHost = new URLSearchParams(parameters);
    if (folders) ofHost.set('host', host);
    const name = names[index] ?? names[0] ?? '';
    return `${start}${name}${path}${ofHost.size === 0 ? '' : `?${ofHost}`}`;
  });
  return { hosts, roles };
}

const protocolViolation = '08P01';

/** The address without the time-outs among its parameters, and all time-outs. */
function takeTimeouts(address: string): [string, Timeouts] {
  const [base = '', query = ''] = address.split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  const timeouts = { ...defaultTimeouts };
  for (const name of Object.keys(timeouts) as (keyof Timeouts)[]) {
    const ms = parameters.get(name);
    if (ms === null || !/^\d+$/.test(ms)) continue;
    timeouts[name] = Number(ms);
    parameters.delete(name);
  }
  return [parameters.size === 0 ? base : `${base}?${parameters}`, timeouts];
}

interface OpenPool {
  pool: Pool;
  /** The value that the server has. */
  statementTimeout: number;
  isStandby: boolean;
}

async function openPool(address: string, timeouts: Partial<Timeouts>): Promise<OpenPool | { cause: unknown }> {
  const { default: pg } = await import('pg');
  let pool: Pool;
  try {
    pool = new pg.Pool({
      connectionString: address,
      max: maxConnections,
      connectionTimeoutMillis: connectMs,
      ...timeouts,
      // The system notices a connection whose other end vanished.
      keepAlive: true,
      application_name: 'comem',
      types: { getTypeParser: (oid: number, format?: 'text' | 'binary') => parserOf(pg.types, oid, format) },
    });
  } catch (cause) {
    throw usage(`the address of the database cannot be read: ${messageOf(cause).replaceAll(address, '…')}`, example);
  }
  // The pool replaces a broken connection at the next use, and its current query fails by itself.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  try {
    const { rows } = await pool.query<{ ms: string; standby: boolean }>(
      "select setting as ms, pg_is_in_recovery() as standby from pg_settings where name = 'statement_timeout'",
    );
    return { pool, statementTimeout: Number(rows[0]?.ms), isStandby: rows[0]?.standby === true };
  } catch (cause) {
    await pool.end();
    return { cause };
  }
}

const example = 'it looks like postgres://user:password@host:5432/database';

/** Big integers as numbers: positions are checked to be safe ones, counts are. */
function parserOf(types: typeof import('pg').types, oid: number, format?: 'text' | 'binary') {
  if (oid === types.builtins.INT8 && format !== 'binary') return Number;
  return types.getTypeParser(oid, format);
}

function connectionFailure(cause: unknown, address: string): Failure {
  const hints: Record<string, string> = {
    ECONNREFUSED: 'start PostgreSQL there, or name the host and port at which it listens',
    ENOENT: 'start PostgreSQL there, or name the folder of its socket',
    ENOTFOUND: 'correct the name of the host',
    '28P01': 'correct the password: the address, PGPASSWORD or ~/.pgpass may hold it',
    '28000': 'correct the user, or let it in from here in pg_hba.conf',
    '3D000': `create it with \`createdb --encoding=UTF8 ${databaseName(address)}\``,
    '53300': 'raise max_connections, or run fewer servers',
    '57P03': 'wait until it has started, then try again',
    [protocolViolation]: 'if it is a pool, raise its limits, or run fewer servers',
    '': 'try `psql` with the same address',
  };
  return new Failure('usage', `cannot open the database ${shownAddress(address)}: ${messageOf(cause)}`, {
    hint: hints[codeOf(cause)] ?? example,
    cause,
  });
}

function databaseName(address: string): string {
  return decodeURIComponent(/^\w+:\/\/[^/]*\/([^?]*)/.exec(address)?.[1] || 'NAME');
}

export function messageOf(error: unknown): string {
  // Several addresses of one name that all refuse are one error without a text of its own.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
