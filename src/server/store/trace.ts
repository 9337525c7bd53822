/** The trace of a request (W3C Trace Context), which its log line and its statements on PostgreSQL carry. */
import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<string | undefined>();

const traceparents = /^(?!ff)([0-9a-f]{2})(-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})(-.*)?$/;

/** The header `traceparent` as version 00, the first fields of later ones; undefined where it is missing or not valid. */
export function readTraceparent(header: unknown): string | undefined {
  const [, version, fields, more] = (typeof header === 'string' && traceparents.exec(header)) || [];
  return fields === undefined || (version === '00' && more !== undefined) ? undefined : `00${fields}`;
}

/** The header of the request whose work runs. */
export function currentTrace(): string | undefined {
  return current.getStore();
}

export function inTrace<T>(traceparent: string | undefined, work: () => T): T {
  return traceparent === current.getStore() ? work() : current.run(traceparent, work);
}

/** The statement with the trace as a comment, as sqlcommenter has it. */
export function addTrace(statement: string): string {
  const traceparent = current.getStore();
  return traceparent === undefined ? statement : `${statement} /*traceparent='${traceparent}'*/`;
}
