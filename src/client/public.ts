/**
 * `comem/client`: the API of a company-memory platform for scripts in TypeScript and JavaScript.
 *
 * ```ts
 * import { createComemClient, operations } from 'comem/client';
 *
 * const client = createComemClient({
 *   baseUrl: 'https://memory.example',
 *   sessionCookie: process.env.COMEM_SESSION_COOKIE,
 *   companyId: '5b6f0f0e-0000-4000-8000-000000000001',
 * });
 * for (const list of await client.call(operations.listLists)) console.log(list.name);
 * for await (const row of client.series({ from: '2010', to: '2024', metricIds: ['mrr', 'arr'] })) {
 *   console.log(row.periodKey, row.metrics.mrr);
 * }
 * await client.close();
 * ```
 */
import type { Input, Operation, Unwrapped } from '../contract/operation.ts';
import type { ExactNumber } from '../core/json.ts';
import type { Reply } from './answer.ts';
import { type Client, createClient } from './client.ts';
import { type ConnectOptions, connect } from './connect.ts';
import type { HeldCredential } from './credentials.ts';
import type { PageOptions } from './paging.ts';
import { readSeries, type SeriesRequest, type SeriesRow } from './series.ts';

export { apiVersion, operations } from '../contract/index.ts';
export type * from '../contract/lists.ts';
export type * from '../contract/metrics.ts';
export type { Input, Operation, Unwrapped } from '../contract/operation.ts';
export { exitCodes, Failure, type FailureKind, type Resume } from '../core/errors.ts';
export { ExactNumber, isNumeric, type Numeric } from '../core/json.ts';
export type { AnyReply, Reply } from './answer.ts';
export type { Client, DescribedRequest, RawRequest } from './client.ts';
export type { PageOptions } from './paging.ts';
export type { SeriesRequest, SeriesRow } from './series.ts';

export interface ComemClientOptions<N extends Numbers = Numbers> {
  /** `https://host[/prefix]`, or `embedded:DIR` for the API in this process on a database in DIR. */
  baseUrl: string;
  /** For the endpoints with the credential `key`. A function is called when the key is first needed. */
  apiKey?: (string | (() => Promise<string>)) | undefined;
  /** The complete Cookie header of a web session, for the endpoints with the credential `session`. */
  sessionCookie?: (string | (() => Promise<string>)) | undefined;
  /** The company of every call that does not name its own, a UUID. */
  companyId?: string | undefined;
  /** Default `exact`. */
  numbers?: N | undefined;
  /** Milliseconds for each request; default 30,000. */
  timeoutMs?: number | undefined;
  /** Bytes of a response at the most, decoded; default 50 MiB. */
  maxResponse?: number | undefined;
  /** Attempts after the first, of what may be sent again; default 3. */
  retries?: number | undefined;
  /** Ends every request when it aborts. */
  signal?: AbortSignal | undefined;
  /** Plain http to a machine other than this one. */
  allowHttp?: boolean | undefined;
  /** `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`; pass `process.env` to use its. Default: no proxy. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** One line about each retry, or a total that moved while pages were read. */
  onNote?: ((text: string) => void) | undefined;
  /** The request log, line by line, credential values left out. */
  onLog?: ((line: string) => void) | undefined;
}

/**
 * How numbers of the API arrive. `exact`: as a `number` when a double prints the same digits, else as an `ExactNumber`
 * with its digits in `text`; `double`: as the nearest `number`.
 */
export type Numbers = 'exact' | 'double';

/** The success body of an operation without its envelope. */
export type Data<O extends Operation, N extends Numbers = 'exact'> = N extends 'double'
  ? Doubles<Unwrapped<O>>
  : Unwrapped<O>;

/** The same shape with `number` for `Numeric`. */
export type Doubles<T> = T extends ExactNumber ? never : T extends object ? { [K in keyof T]: Doubles<T[K]> } : T;

/** A client, the rows of its paged operations, and series of any length. */
export interface ComemClient<N extends Numbers = 'exact'> extends Omit<Client, 'call' | 'send' | 'pages'> {
  /** Calls one operation and returns its result without envelope. The company is added as the contract requires. */
  call<O extends Operation>(op: O, input?: Input<O>): Promise<Data<O, N>>;
  /** The same with status, headers and bytes. */
  send<O extends Operation>(op: O, input?: Input<O>): Promise<Reply<Data<O, N>>>;
  /** The parsed body of every page, in order. */
  pages<O extends Operation>(op: O, input?: Input<O>, options?: PageOptions): AsyncIterable<Data<O, N>>;
  /** The rows of every page, one by one: entries of a list, items of a series, published periods. */
  rows<O extends Operation>(op: O, input?: Input<O>, options?: PageOptions): AsyncGenerator<RowOf<O, N>>;
  /**
   * The rows of a metric series, in order and each once, however many periods, metrics and companies there are. One
   * request of the API takes 60 periods and 50 metrics; more are read in several requests at once.
   * @throws Failure whose `resume` holds the bounds (`from`, `to`) or the `cursor` that read the rest
   */
  series(request?: SeriesRequest): AsyncGenerator<N extends 'double' ? Doubles<SeriesRow> : SeriesRow>;
}

/** One row of an operation's result. */
export type RowOf<O extends Operation, N extends Numbers = 'exact'> =
  Data<O, N> extends readonly (infer Row)[]
    ? Row
    : Data<O, N> extends { items: readonly (infer Row)[] }
      ? Row
      : Data<O, N> extends { metrics?: { periods?: readonly (infer Row)[] } }
        ? Row
        : Data<O, N>;

/**
 * A client of the API. Nothing is sent, opened or loaded before the first call.
 * @throws Failure of kind `usage` when the base URL is not one
 */
export function createComemClient<N extends Numbers = 'exact'>(options: ComemClientOptions<N>): ComemClient<N> {
  const { onNote: note, onLog: log, baseUrl, timeoutMs, maxResponse, retries, allowHttp, env } = options;
  const connection: ConnectOptions = { baseUrl, timeoutMs, maxResponse, retries, allowHttp, env, note, log };
  const client = createClient({
    ...connect(connection),
    credentials: {
      key: credentialOf(options.apiKey, 'apiKey'),
      session: credentialOf(options.sessionCookie, 'sessionCookie'),
    },
    company: options.companyId,
    headers: { 'user-agent': 'comem-client' },
    signal: options.signal,
    numbers: options.numbers,
    note,
  });
  async function* rows(op: Operation, input?: Input<Operation>, paging?: PageOptions): AsyncGenerator<unknown> {
    let left = paging?.limit ?? Number.POSITIVE_INFINITY;
    for await (const page of client.pages(op, input, paging)) {
      for (const row of rowsOf(op, page)) {
        if (left <= 0) return;
        left -= 1;
        yield row;
      }
    }
  }
  const series = (request: SeriesRequest = {}) => readSeries(client, request);
  return { ...client, rows, series } as ComemClient<N>;
}

function credentialOf(secret: string | (() => Promise<string>) | undefined, from: string): HeldCredential | undefined {
  return secret === undefined || secret === '' ? undefined : { secret, from };
}

function rowsOf(op: Operation, page: unknown): readonly unknown[] {
  if (Array.isArray(page)) return page;
  if (!op.rowsAt) return [page];
  const rows = op.rowsAt.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], page);
  return Array.isArray(rows) ? rows : [];
}
