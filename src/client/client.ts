/** A client of the API: one request from its input to the data of its answer, and the pages of many. */

import type { Input, Operation, Unwrapped } from '../contract/operation.ts';
import { Failure } from '../core/errors.ts';
import { stringifyJson } from '../core/json.ts';
import type { Headers, Transport, WireRequest } from '../core/wire.ts';
import { type AnyReply, type KeyCompany, type ReadOptions, type Reply, readAny, readReply } from './answer.ts';
import { type Credentials, credentialHeaders, missingCredential, redactedCredential } from './credentials.ts';
import { brokenPaging, type Exchange, requestFailure, type SentRequest } from './failures.ts';
import {
  cursorPages,
  eitherOf,
  type FetchCursor,
  type FetchOffset,
  offsetPages,
  type PageOptions,
  rowsAt,
  totalOf,
} from './paging.ts';
import { prover } from './proof.ts';
import {
  endpointOf,
  type FieldName,
  type InputValues,
  isCompanyMissing,
  type Prepared,
  prepare,
  sameOrigin,
} from './request.ts';

export interface Client {
  /** Calls one operation and returns its result without envelope. The company is added as the contract requires. */
  call<O extends Operation>(op: O, input?: Input<O>): Promise<Unwrapped<O>>;
  /** The same with status, headers and bytes. `asReceived`: only that the bytes are JSON is checked. */
  send<O extends Operation>(op: O, input?: Input<O>, options?: { asReceived?: boolean }): Promise<Reply<Unwrapped<O>>>;
  /**
   * Every page of a paged operation as the pages' parsed bodies, in order: offset pages several in flight, cursor
   * pages one ahead.
   */
  pages<O extends Operation>(op: O, input?: Input<O>, options?: PageOptions): AsyncIterable<Unwrapped<O>>;
  /** The request as it would be sent, without credential values, for `--dry-run` and errors. Nothing is sent. */
  describe<O extends Operation>(op: O, input?: Input<O>): Promise<DescribedRequest>;
  /** Any request (`comem api`): responses of any status are returned, with what they mean in `failure`. */
  request(request: RawRequest): Promise<AnyReply>;
  /** Takes note of what a request created or changed whose response did not show it. */
  answered?<O extends Operation>(op: O, input: Input<O>, data: unknown): void;
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
  headers?: Headers | undefined;
  /** `none`: sent without one. */
  credential: 'key' | 'session' | 'none';
  /** The operation that it is, if it is one: its answer must be about what it names. */
  op?: Operation | undefined;
}

export interface ClientOptions {
  /** `https://host[:port][/prefix]` without a slash at its end; `connect` gives it. */
  baseUrl: string;
  transport: Transport;
  credentials: Credentials;
  /** The origin that stored credentials must have; default: the origin of `baseUrl`. */
  credentialOrigin?: string | undefined;
  /** Company of every call that does not name its own, as a uuid. Read at each call. */
  company?: string | undefined;
  /** Rows of a page where the call does not say; what an endpoint allows beyond it does not count. */
  pageSize?: number | undefined;
  /** Sent with every request (`user-agent`). Lower-case names. */
  headers?: Headers | undefined;
  /** Named in messages. */
  profile?: string | undefined;
  companyName?: ((id: string) => string | undefined) | undefined;
  signal?: AbortSignal | undefined;
  /** Names the fields of the API in messages. */
  fieldName?: FieldName | undefined;
  /** One line for a person, such as a total that moved while pages were read. */
  note?: ((text: string) => void) | undefined;
  close?: (() => Promise<void>) | undefined;
}

interface SendOptions {
  validate?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** One request: prepared and checked, sent with its credential, its answer read, and a write proved. */
class Requests {
  readonly origin: string;
  /** The company of the key in earlier answers. */
  readonly key: KeyCompany = {};
  private readonly proveWrite = prover();

  constructor(readonly options: ClientOptions) {
    this.origin = new URL(options.baseUrl).origin;
  }

  prepare(op: Operation, input: InputValues, validate?: boolean): Prepared {
    const { company, fieldName, credentials } = this.options;
    try {
      return prepare(op, input, { company, fieldName, validate });
    } catch (error) {
      // A key brings its company, so that without any credential the company is not what is missing.
      if (!isCompanyMissing(error) || credentials.key || credentials.session) throw error;
      throw missingCredential(credentials, this.useOf(endpointOf(op), op.credential));
    }
  }

  headersOf({ headers, body }: Pick<Prepared, 'headers' | 'body'>): Headers {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    return { accept: 'application/json', ...this.options.headers, ...type, ...headers };
  }

  credentialFor(endpoint: string, kind: 'key' | 'session'): Promise<Headers> {
    return credentialHeaders(this.options.credentials, this.useOf(endpoint, kind));
  }

  private useOf(endpoint: string, kind: 'key' | 'session') {
    const { credentialOrigin = this.origin, profile } = this.options;
    return { endpoint, kind, origin: credentialOrigin, profile };
  }

  /** Sends a request. @throws Failure without a complete response */
  async exchange(request: WireRequest, credential: SentRequest['credential']): Promise<Exchange> {
    const { profile, companyName, transport, credentials } = this.options;
    const from = credential === 'none' ? undefined : credentials[credential]?.from;
    const sent: SentRequest = { request, credential, profile, from, companyName };
    try {
      return { ...sent, response: await transport(request) };
    } catch (error) {
      throw requestFailure(error, sent);
    }
  }

  async send(op: Operation, prepared: Prepared, signal = this.options.signal): Promise<Exchange> {
    const credential = await this.credentialFor(endpointOf(op), op.credential);
    const { method, path, body } = prepared;
    const headers = { ...this.headersOf(prepared), ...credential };
    const url = this.options.baseUrl + path;
    const text = body === undefined ? {} : { body: stringifyJson(body) };
    return this.exchange({ method, url, headers, ...text, signal }, op.credential);
  }

  async call(op: Operation, input: InputValues, { validate, signal, ...reading }: SendOptions & ReadOptions = {}) {
    const prepared = this.prepare(op, input, validate);
    const exchange = await this.send(op, prepared, signal);
    const reply = readReply(op, exchange, { ...reading, key: this.key });
    if (op.method !== 'GET' && !reading.asReceived) {
      const note = this.proveWrite({ op, input: { ...input, body: prepared.body }, data: reply.data, exchange });
      if (note !== undefined) this.options.note?.(note);
    }
    return { reply, exchange };
  }

  async *pages(op: Operation, input: InputValues, paging: PageOptions): AsyncGenerator<unknown> {
    if (op.paging === 'offset') yield* this.offsetPages(op, input, paging);
    else if (op.paging === 'cursor') yield* this.cursorPages(op, input, paging);
    else {
      const { reply } = await this.call(op, input);
      paging.onPage?.({ body: reply.data, next: undefined });
      yield reply.data;
    }
  }

  private sizeOf({ query }: Operation, { pageSize, limit = Number.POSITIVE_INFINITY }: PageOptions) {
    const most = query.properties?.limit?.maximum ?? 100;
    return { size: pageSize ?? Math.min(this.options.pageSize ?? most, most), limit };
  }

  private offsetPages(op: Operation, input: InputValues, paging: PageOptions): AsyncGenerator<unknown[]> {
    const { signal, note } = this.options;
    const { onPage, offset = 0 } = paging;
    const query = input.query ?? {};
    let last: Exchange | undefined;
    const fetch: FetchOffset = async ({ withTotal, ...page }, signal) => {
      const pageQuery = { ...query, ...page, ...(withTotal ? { withTotal } : {}) };
      const { reply, exchange } = await this.call(op, { ...input, query: pageQuery }, { signal });
      last = exchange;
      return { rows: reply.data as unknown[], total: totalOf(reply.headers), bytes: reply.bytes.length };
    };
    return offsetPages(fetch, {
      ...this.sizeOf(op, paging),
      offset,
      signal,
      withTotal: query.viewId === undefined,
      broken: (says) => brokenPages(says, last),
      onPage: (next, total, body) => {
        const following = next === undefined ? undefined : { offset: next };
        onPage?.({ body, next: following, ...(total === undefined ? {} : { total }) });
      },
      onMoved: (before, now) =>
        note?.(`the number of rows went from ${before} to ${now} while they were read: some may be missing`),
    });
  }

  private cursorPages(op: Operation, input: InputValues, paging: PageOptions): AsyncGenerator<unknown> {
    const { onPage, cursor, progress, without, rowsAt: path = op.rowsAt ?? [] } = paging;
    let last: Exchange | undefined;
    const fetch: FetchCursor = async (page, signal) => {
      // A cursor of the server is sent unchanged.
      const validate = page.cursor === undefined || page.cursor === cursor;
      const { reply, exchange } = await this.call(
        op,
        { ...input, query: { ...input.query, ...page } },
        { validate, signal, without },
      );
      last = exchange;
      return reply.data;
    };
    return cursorPages(fetch, {
      ...this.sizeOf(op, paging),
      cursor,
      signal: this.options.signal,
      rowsOf: (body) => rowsAt(body, path),
      progress,
      onPage: (body, next) => onPage?.({ body, next: next === undefined ? undefined : { cursor: next } }),
      broken: (says) => brokenPages(says, last),
    });
  }
}

function brokenPages(says: string, last: Exchange | undefined): Failure {
  return last ? brokenPaging(says, last) : new Failure('rejected', says);
}

/** A client over any transport. It holds no connection itself: `connect` opens one. */
export function createClient(options: ClientOptions): Client {
  const { baseUrl } = options;
  const requests = new Requests(options);
  return {
    async call<O extends Operation>(op: O, input: Input<O> = {}) {
      return (await requests.call(op, input as InputValues)).reply.data as Unwrapped<O>;
    },
    async send<O extends Operation>(op: O, input: Input<O> = {}, reading = {}) {
      return (await requests.call(op, input as InputValues, reading)).reply as Reply<Unwrapped<O>>;
    },
    pages<O extends Operation>(op: O, input: Input<O> = {}, paging: PageOptions = {}) {
      return requests.pages(op, input as InputValues, paging) as AsyncGenerator<Unwrapped<O>>;
    },
    async describe(op, input = {}) {
      const { method, path, headers, body } = requests.prepare(op, input as InputValues);
      const shownHeaders = { ...requests.headersOf({ headers, body }), ...redactedCredential(op.credential) };
      return { method, url: baseUrl + path, headers: shownHeaders, ...(body === undefined ? {} : { body }) };
    },
    async request({ path, headers = {}, credential, op, ...rest }) {
      const url = sameOrigin(baseUrl, requests.origin, path);
      const endpoint = `${rest.method} ${path.replace(/\?.*$/s, '')}`;
      const secret = credential === 'none' ? {} : await requests.credentialFor(endpoint, credential);
      const signal = rest.signal ? eitherOf(rest.signal, options.signal) : options.signal;
      const allHeaders = { ...requests.headersOf({ headers, body: rest.body }), ...secret };
      const exchange = await requests.exchange({ ...rest, url, headers: allHeaders, signal }, credential);
      return readAny(exchange, { key: requests.key, op });
    },
    close: async () => options.close?.(),
  };
}
