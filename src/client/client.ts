/** How comem talks to the API: what commands and scripts call. */
import type { Input, Operation, Unwrapped } from '../contract/operation.ts';
import type { Headers, WireRequest } from '../wire.ts';

/** A whole answer of the API: any 2xx. Everything else is thrown as a Failure. */
export interface Reply<T> {
  status: number;
  headers: Headers;
  /** The parsed body without its envelope, numbers exact (see `json.ts`); undefined when the body is empty. */
  data: T;
  /** The body exactly as received. */
  bytes: Uint8Array;
}

export interface PageOptions {
  /** At most this many rows in all; default: all. */
  limit?: number;
  /** The API's own `limit`; default: the largest that the contract allows. */
  pageSize?: number;
  /** Start here instead of at the first row. */
  offset?: number;
  cursor?: string;
  /** Called after each page with the whole parsed body and how to go on after it. */
  onPage?(page: { body: unknown; next: { offset?: number; cursor?: string } | undefined; total?: number }): void;
}

export interface Client {
  /** Calls one operation and gives its result without envelope. The company is put where the contract says. */
  call<O extends Operation>(op: O, input?: Input<O>): Promise<Unwrapped<O>>;
  /** The same with status, headers and bytes. */
  send<O extends Operation>(op: O, input?: Input<O>): Promise<Reply<Unwrapped<O>>>;
  /**
   * Every page of a paged operation as the pages' parsed bodies, in order: offset pages several in flight, cursor
   * pages one ahead.
   */
  pages<O extends Operation>(op: O, input?: Input<O>, options?: PageOptions): AsyncIterable<Unwrapped<O>>;
  /** The request as it would be sent, without credential values, for `--dry-run` and errors. Nothing is sent. */
  describe<O extends Operation>(op: O, input?: Input<O>): Promise<DescribedRequest>;
  /** Any request (`comem api`): answers of any status come back, credentials chosen by `credential`. */
  request(request: RawRequest): Promise<Reply<unknown>>;
  /** Ends keep-alive connections and an embedded API. */
  close(): Promise<void>;
}

export interface DescribedRequest {
  method: string;
  url: string;
  headers: Headers;
  body?: unknown;
}

export interface RawRequest extends Omit<WireRequest, 'url' | 'headers'> {
  /** Path with query, relative to the base URL. */
  path: string;
  headers?: Headers;
  credential: 'key' | 'session';
}
