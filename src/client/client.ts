/** How comem talks to the API: what commands and scripts call. */

import type { Input, Operation, Unwrapped } from '../contract/operation.ts';
import { Failure } from '../core/errors.ts';
import { parseJson, stringifyJson } from '../core/json.ts';
import type { Headers, Transport, WireRequest, WireResponse } from '../core/wire.ts';
import type { KeyCompany } from './asked.ts';
import { type Credentials, credentialHeaders, redactedCredential } from './credentials.ts';
import type { FetchOffset } from './offset-pages.ts';
import { cursorPages, eitherOf, type PageOptions, rowsAt, totalOf } from './paging.ts';
import type { prover } from './proof.ts';
import { type Asked, brokenPaging, requestFailure } from './refusal.ts';
import type { AnyReply, ReadOptions, Reply } from './reply.ts';
import { endpointOf, type FieldName, type InputValues, type Prepared, prepare, sameOrigin } from './request.ts';

export interface Client {
  /** Calls one operation and gives its result without envelope. The company is put where the contract says. */
  call<O extends Operation>(op: O, input?: Input<O>): Promise<Unwrapped<O>>;
  /** The same with status, headers and bytes. `asReceived`: only that the bytes are JSON is checked. */
  send<O extends Operation>(op: O, input?: Input<O>, how?: { asReceived?: boolean }): Promise<Reply<Unwrapped<O>>>;
  /**
   * Every page of a paged operation as the pages' parsed bodies, in order: offset pages several in flight, cursor
   * pages one ahead.
   */
  pages<O extends Operation>(op: O, input?: Input<O>, options?: PageOptions): AsyncIterable<Unwrapped<O>>;
  /** The request as it would be sent, without credential values, for `--dry-run` and errors. Nothing is sent. */
  describe<O extends Operation>(op: O, input?: Input<O>): Promise<DescribedRequest>;
  /** Any request (`comem api`): responses of any status are returned, with what they mean in `failure`. */
  request(request: RawRequest): Promise<AnyReply>;
  /** Takes note of what a request without an answer created, once it was found. */
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
  /** What the origin of stored credentials must equal; default: the origin of `baseUrl`. */
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
  /** Reads a long answer to a read: nothing else happens meanwhile. */
  blocking?: (<T>(work: () => T) => Promise<T>) | undefined;
  /** Default `exact`. `double`: every number is a plain `number`, the nearest double. */
  numbers?: 'exact' | 'double' | undefined;
  /** How messages call the fields of the API. */
  fieldName?: FieldName | undefined;
  /** One line for a person, such as a total that moved while pages were read. */
  note?: ((text: string) => void) | undefined;
  close?: (() => Promise<void>) | undefined;
}

interface SendOptions {
  validate?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** A response that is not read yet. */
interface Received {
  prepared: Prepared;
  response: WireResponse;
  asked: Asked;
}

/** The nearest double of each number. @throws NumberRangeError as `parseJson` does */
const parseDoubles: typeof parseJson = (text, isPlain) => {
  if (!isPlain && /[eE][+-]?\d{3}/.test(text)) parseJson(text, isPlain);
  return JSON.parse(text);
};

const longAnswer = 8 * 1024 * 1024;

/** A client over any transport. It holds no connection itself: `connect` opens one. */
export function createClient(options: ClientOptions): Client {
  const { baseUrl, credentials, profile, fieldName, companyName } = options;
  const origin = new URL(baseUrl).origin;
  const credentialOrigin = options.credentialOrigin ?? origin;
  const parse = options.numbers === 'double' ? parseDoubles : parseJson;

  const credentialFor = (endpoint: string, kind: 'key' | 'session') =>
    credentialHeaders(credentials, { endpoint, kind, origin: credentialOrigin, profile });
  const key: KeyCompany = {};
  let proof: Promise<ReturnType<typeof prover>> | undefined;
  const headersOf = (prepared: Pick<Prepared, 'headers' | 'body'>): Headers => ({
    accept: 'application/json',
    ...options.headers,
    ...(prepared.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...prepared.headers,
  });

  const exchange = async (request: WireRequest, asked: Asked) => {
    try {
      return await options.transport(request);
    } catch (error) {
      throw requestFailure(error, asked);
    }
  };

  // What a write did is still said when its answer has been read.
  const read = <T>(response: WireResponse, { method }: WireRequest, work: () => T): T | Promise<T> =>
    options.blocking && method === 'GET' && response.body.length > longAnswer ? options.blocking(work) : work();

  const receive = async (op: Operation, input: InputValues, how: SendOptions = {}): Promise<Received> => {
    const prepared = prepare(op, input, { company: options.company, fieldName, validate: how.validate });
    const credential = await credentialFor(endpointOf(op), op.credential);
    const request: WireRequest = {
      method: op.method,
      url: baseUrl + prepared.path,
      headers: { ...headersOf(prepared), ...credential },
      ...(prepared.body === undefined ? {} : { body: stringifyJson(prepared.body) }),
      signal: how.signal ?? options.signal,
    };
    const asked: Asked = { request, credential: op.credential, profile, companyName };
    return { prepared, response: await exchange(request, asked), asked };
  };

  const readReceived = async (op: Operation, { response, asked }: Received, how: ReadOptions = {}) => {
    const { readReply } = await import('./reply.ts');
    return read(response, asked.request, () => readReply(op, response, asked, { ...how, parse, key }));
  };

  const sendPrepared = async (op: Operation, input: InputValues, how: SendOptions & ReadOptions = {}) => {
    const received = await receive(op, input, how);
    const { prepared, asked } = received;
    const reply = await readReceived(op, received, how);
    if (op.method !== 'GET' && !how.asReceived) {
      proof ??= import('./proof.ts').then((loaded) => loaded.prover());
      const open = (await proof)(op, { ...input, body: prepared.body }, { reply, asked });
      if (open !== undefined) options.note?.(open);
    }
    return { reply, asked };
  };

  async function* pages(op: Operation, input: InputValues, paging: PageOptions): AsyncGenerator<unknown> {
    const { onPage } = paging;
    const most = op.query.properties?.limit?.maximum ?? 100;
    const size = paging.pageSize ?? Math.min(options.pageSize ?? most, most);
    const limit = paging.limit ?? Number.POSITIVE_INFINITY;
    const query = input.query ?? {};
    let last: Asked | undefined;
    const broken = (says: string) => (last ? brokenPaging(says, last) : new Failure('rejected', says));
    if (op.paging === 'offset') {
      const withTotal = query.viewId === undefined;
      const { offsetPages } = await import('./offset-pages.ts');
      const fetch: FetchOffset = async ({ withTotal: ask, ...page }, signal) => {
        const all = { ...query, ...page, ...(ask ? { withTotal: true } : {}) };
        const { reply, asked } = await sendPrepared(op, { ...input, query: all }, { signal });
        last = asked;
        return { rows: reply.data as unknown[], total: totalOf(reply.headers), bytes: reply.bytes.length };
      };
      yield* offsetPages(fetch, {
        offset: paging.offset ?? 0,
        size,
        limit,
        signal: options.signal,
        withTotal,
        broken,
        onPage: (offset, total, body) =>
          onPage?.({
            body,
            next: offset === undefined ? undefined : { offset },
            ...(total === undefined ? {} : { total }),
          }),
        onMoved: (before, now) =>
          options.note?.(`the number of rows went from ${before} to ${now} while they were read: some may be missing`),
      });
    } else if (op.paging === 'cursor') {
      const { without, read: only } = paging;
      const rowsPath = only === undefined ? (op.rowsAt ?? []) : [only];
      const parts = { without, rows: rowsPath.length === 1 ? rowsPath[0] : undefined };
      const fetch: Parameters<typeof cursorPages>[0] = async (page, signal) => {
        const validate = page.cursor === undefined || page.cursor === paging.cursor;
        const received = await receive(op, { ...input, query: { ...query, ...page } }, { signal, validate });
        const { response, asked } = received;
        last = asked;
        const { PageBody } = await import('./page-body.ts');
        const body = response.status === 200 ? new PageBody(response.body, parts) : undefined;
        return {
          next: () => body?.nextCursor(),
          read: async () => (await readReceived(op, received, { body })).data,
        };
      };
      yield* cursorPages(fetch, {
        cursor: paging.cursor,
        size,
        limit,
        signal: options.signal,
        rowsOf: (body) => rowsAt(body, rowsPath),
        progress: paging.progress,
        onPage: (body, cursor) => onPage?.({ body, next: cursor === undefined ? undefined : { cursor } }),
        broken,
      });
    } else {
      const { reply } = await sendPrepared(op, input);
      onPage?.({ body: reply.data, next: undefined });
      yield reply.data;
    }
  }

  return {
    async call<O extends Operation>(op: O, input: Input<O> = {}) {
      return (await sendPrepared(op, input as InputValues)).reply.data as Unwrapped<O>;
    },
    async send<O extends Operation>(op: O, input: Input<O> = {}, how = {}) {
      return (await sendPrepared(op, input as InputValues, how)).reply as Reply<Unwrapped<O>>;
    },
    pages<O extends Operation>(op: O, input: Input<O> = {}, paging: PageOptions = {}) {
      return pages(op, input as InputValues, paging) as AsyncGenerator<Unwrapped<O>>;
    },
    async describe(op, input = {}) {
      const { method, path, headers, body } = prepare(op, input as InputValues, options);
      const shown = { ...headersOf({ headers, body }), ...redactedCredential(op.credential) };
      return { method, url: baseUrl + path, headers: shown, ...(body === undefined ? {} : { body }) };
    },
    async request({ path, headers = {}, credential, op, ...rest }) {
      const url = sameOrigin(baseUrl, origin, path);
      const endpoint = `${rest.method} ${path.replace(/\?.*$/s, '')}`;
      const own = credential === 'none' ? {} : await credentialFor(endpoint, credential);
      const request: WireRequest = {
        ...rest,
        url,
        headers: { ...headersOf({ headers, body: rest.body }), ...own },
        signal: rest.signal ? eitherOf(rest.signal, options.signal) : options.signal,
      };
      const asked: Asked = { request, credential, profile, companyName };
      const response = await exchange(request, asked);
      const reply = await import('./reply.ts');
      return read(response, request, () => reply.readAny(response, asked, { parse, key, op }));
    },
    close: async () => options.close?.(),
  };
}
