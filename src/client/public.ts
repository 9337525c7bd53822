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
import { type Client, createClient } from './client.ts';
import { type ConnectOptions, connect } from './connect.ts';
import type { HeldCredential } from './credentials.ts';
import { type PageOptions, rowsAt } from './paging.ts';
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

export interface ComemClientOptions
  extends Pick<ConnectOptions, 'baseUrl' | 'timeoutMs' | 'maxResponse' | 'retries' | 'allowHttp' | 'env'> {
  /** For the endpoints with the credential `key`. A function is called when the key is first needed. */
  apiKey?: (string | (() => Promise<string>)) | undefined;
  /** The complete Cookie header of a web session, for the endpoints with the credential `session`. */
  sessionCookie?: (string | (() => Promise<string>)) | undefined;
  /** The company of every call that does not name its own, a UUID. */
  companyId?: string | undefined;
  /** Ends every request when it aborts. */
  signal?: AbortSignal | undefined;
  /** One line about each retry, or a total that moved while pages were read. */
  onNote?: ((text: string) => void) | undefined;
  /** The request log, line by line, credential values left out. */
  onLog?: ((line: string) => void) | undefined;
}

/** A client, the rows of its paged operations, and series of any length. */
export interface ComemClient extends Client {
  /** The rows of every page, one by one: entries of a list, items of a series, published periods. */
  rows<O extends Operation>(op: O, input?: Input<O>, options?: PageOptions): AsyncGenerator<RowOf<O>>;
  /**
   * The rows of a metric series, in order and each once, however many periods, metrics and companies there are. One
   * request of the API takes 60 periods and 50 metrics; more are read in several requests at once.
   * @throws Failure whose `resume` holds the bounds (`from`, `to`) or the `cursor` that read the rest
   */
  series(request?: SeriesRequest): AsyncGenerator<SeriesRow>;
}

/** One row of an operation's result. */
export type RowOf<O extends Operation> =
  Unwrapped<O> extends readonly (infer Row)[]
    ? Row
    : Unwrapped<O> extends { items: readonly (infer Row)[] }
      ? Row
      : Unwrapped<O> extends { metrics?: { periods?: readonly (infer Row)[] } }
        ? Row
        : Unwrapped<O>;

/**
 * A client of the API. Nothing is sent, opened or loaded before the first call.
 * @throws Failure of kind `usage` when the base URL is not one
 */
export function createComemClient(options: ComemClientOptions): ComemClient {
  const { onNote: note, onLog: log, baseUrl, timeoutMs, maxResponse, retries, allowHttp, env } = options;
  const client = createClient({
    ...connect({ baseUrl, timeoutMs, maxResponse, retries, allowHttp, env, note, log }),
    credentials: {
      key: credentialOf(options.apiKey, 'apiKey'),
      session: credentialOf(options.sessionCookie, 'sessionCookie'),
    },
    company: options.companyId,
    headers: { 'user-agent': 'comem-client' },
    signal: options.signal,
    note,
  });
  async function* rows<O extends Operation>(op: O, input?: Input<O>, paging: PageOptions = {}) {
    let left = paging.limit ?? Number.POSITIVE_INFINITY;
    for await (const page of client.pages(op, input, paging)) {
      const all = Array.isArray(page) || !op.rowsAt ? [page].flat() : rowsAt(page, op.rowsAt);
      for (const row of all) {
        if (left <= 0) return;
        left -= 1;
        yield row as RowOf<O>;
      }
    }
  }
  return { ...client, rows, series: (request = {}) => readSeries(client, request) };
}

function credentialOf(secret: string | (() => Promise<string>) | undefined, from: string): HeldCredential | undefined {
  return secret === undefined || secret === '' ? undefined : { secret, from };
}
