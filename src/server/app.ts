/** The API over HTTP: fastify routes, limits, logs, listens and closes; api.ts answers. */
import { isUtf8 } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger, FastifyInstance, FastifyLoggerOptions, FastifyReply, FastifyRequest } from 'fastify';
import { operations } from '../contract/index.ts';
import type { Operation } from '../contract/operation.ts';
import { maxBodyBytes } from '../contract/rules.ts';
import { within } from '../core/concurrency.ts';
import { TransportError, usage } from '../core/errors.ts';
import type { Headers, WireRequest, WireResponse } from '../core/wire.ts';
import { type ApiOptions, createApi, errorResponse } from './api.ts';
import { credentialOf } from './auth.ts';
import { tooLarge } from './input.ts';
import { KeptAnswers } from './kept-answers.ts';
import { ApiError, invalid } from './model/failure.ts';
import { hashToken } from './model/secrets.ts';
import { failureOf, requireFiles } from './store/engine.ts';
import { newestSchema, previousSchema } from './store/migrations.ts';
import { readMeta, type Store } from './store/store.ts';
import { currentTrace, inTrace, readTraceparent } from './store/trace.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation;
  }
}

const jsonType = 'application/json; charset=utf-8';

/** URL and headers together: a search or a facet may be ten thousand characters long, percent-encoded. */
const maxHeadBytes = 256 * 1024;

/** Time-outs in milliseconds, so that slow and silent clients do not hold connections. */
const defaultLimits = {
  /** For URL and headers. */
  head: 20_000,
  /** For the complete request. */
  request: 60_000,
  /** Silence in both directions during a request. */
  silence: 120_000,
  /** Between two requests of one connection: longer than the minute that proxies keep theirs. */
  idle: 75_000,
};

interface AppOptions extends Omit<ApiOptions, 'onError'> {
  limits?: Partial<typeof defaultLimits> | undefined;
  /** The only names under which it answers, beside those of loopback. Default: any. */
  hosts?: readonly string[] | undefined;
  /** Default: no log. */
  log?: LogOptions | undefined;
  /** Called with each request that was answered. */
  observe?: ((operation: string, status: number, seconds: number) => void) | undefined;
  /** Requests of one credential, or of one address without any. Default: any number. */
  rateLimit?: { requests: number; perMs: number } | undefined;
}

/** Whether a server is stopping, for probes and responses. */
interface Readiness {
  isStopping: boolean;
  /** The last read of `/readyz`, in milliseconds of the process; undefined if nothing probes. */
  probedAt?: number;
}

/** The API as a fastify app, ready for `listen` or `inject`. Closing it does not close the store. */
export async function createApp(
  store: Store,
  options: AppOptions = {},
  readiness: Readiness = { isStopping: false },
): Promise<FastifyInstance> {
  const limits = { ...defaultLimits, ...options.limits };
  // The API's clock, by which clients know which periods have ended.
  const date = () => (options.now?.() ?? new Date()).toUTCString();
  const { fastify, LogController } = await import('fastify');
  const app: FastifyInstance = fastify({
    logger: options.log ? loggerOptions(options.log) : false,
    // One line for each request, written below, instead of two.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: maxBodyBytes,
    http: {
      maxHeaderSize: maxHeadBytes,
      headersTimeout: limits.head,
      // Refused below, as JSON.
      requireHostHeader: false,
      connectionsCheckingInterval: Math.min(limits.head, 5_000) / 2,
    },
    requestTimeout: limits.request,
    connectionTimeout: limits.silence,
    keepAliveTimeout: limits.idle,
    forceCloseConnections: 'idle',
    // Ids are validated by the contract, however long they are. HEAD is 405, as in process.
    routerOptions: { maxParamLength: maxHeadBytes },
    exposeHeadRoutes: false,
    // A path that cannot be decoded. Hooks do not run for it.
    frameworkErrors(error, request, reply) {
      const answer = refusalResponse(error);
      logRequest(request, answer.status, reply.elapsedTime);
      return send(reply.header('date', date()), answer);
    },
    clientErrorHandler: (error, socket) => refuseConnection(app, error, socket),
  });
  const record = (request: FastifyRequest, { elapsedTime }: FastifyReply, status: number) => {
    logRequest(request, status, elapsedTime);
    const { operation } = request.routeOptions.config;
    if (!isProbe(request)) options.observe?.(operation?.id ?? 'unknown', status, elapsedTime / 1000);
  };
  const api = createApi(store, {
    kept: store.replica ? undefined : new KeptAnswers(),
    ...options,
    onError: (error) =>
      app.log.error(
        traceOf(currentTrace()),
        `a request failed inside the server: ${error instanceof Error ? error.message : error}`,
      ),
  });
  // The body stays text: numbers are read exactly, and api.ts decides which types it accepts.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => textOf(body));
  const serve = async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      return send(reply, await inTrace(traceparentOf(request), () => api(wireRequest(request))));
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      // An injected fault: the connection ends without a response.
      record(request, reply, 0);
      reply.hijack();
      request.raw.socket.destroy();
      return reply;
    }
  };
  if (options.rateLimit) await limitRate(app, options.rateLimit);
  for (const operation of Object.values<Operation>(operations)) {
    const { method, path } = operation;
    app.route({ method, url: path.replace(/\{(\w+)\}/g, ':$1'), handler: serve, config: { operation } });
  }
  addProbes(app, store, readiness);
  // The API answers with 404, or 405 and Allow; injected faults apply here too.
  if (options.rateLimit) app.setNotFoundHandler({ preHandler: app.rateLimit() }, serve);
  else app.setNotFoundHandler(serve);
  app.setErrorHandler((error, _request, reply) => send(reply, refusalResponse(error)));
  app.addHook('onRequest', (request, reply, done) => {
    const { httpVersion, headers } = request.raw;
    if (httpVersion === '1.0' || headers.host !== undefined) done();
    else send(reply, errorResponse(new ApiError(400, 'The request has no Host header')));
  });
  refuseStrangers(app, options.hosts);
  app.addHook('preClose', (done) => {
    readiness.isStopping = true;
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    record(request, reply, reply.statusCode);
    reply.header('date', date());
    // Kept connections end with their current response, so that closing does not wait for clients.
    if (readiness.isStopping) reply.header('connection', 'close');
    done(null, payload);
  });
  return app;
}

export interface LogOptions {
  level: 'warn' | 'info';
  /** `json`: one object a line, for programs. `text`: for people. */
  format: 'json' | 'text';
  write(line: string): void;
}

/** `time` and `level` are text, so that a line can be read without pino's tables. */
function loggerOptions({ level, format, write }: LogOptions) {
  return {
    level,
    base: null,
    messageKey: 'message',
    // The machine's clock, even when the API's is fixed.
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    stream: { write: format === 'json' ? write : (line: string) => write(textLine(JSON.parse(line))) },
  } satisfies FastifyLoggerOptions & Record<string, unknown>;
}

/** Counts in this process. */
async function limitRate(
  app: FastifyInstance,
  { requests, perMs }: { requests: number; perMs: number },
): Promise<void> {
  const { default: plugin } = await import('@fastify/rate-limit');
  await app.register(plugin, {
    max: requests,
    timeWindow: perMs,
    keyGenerator(request) {
      const { operation } = request.routeOptions.config;
      // Not a second credential, which the operation does not read: any text would make it another caller.
      const token = operation && credentialOf(operation, plainHeaders(request.headers));
      return token === undefined ? request.ip : hashToken(token);
    },
    allowList: isProbe,
    errorResponseBuilder: (_request, { ttl }) =>
      new ApiError(429, `Too many requests of this credential or address; try again in ${Math.ceil(ttl / 1000)} s`),
  });
}

function traceparentOf({ headers }: FastifyRequest): string | undefined {
  return readTraceparent(headers.traceparent);
}

function traceOf(traceparent: string | undefined): { trace?: string } {
  return traceparent === undefined ? {} : { trace: traceparent.slice(3, 35) };
}

function textLine({ time, level, message, method, route = '-', status, ms, trace }: Record<string, unknown>): string {
  const says = message === undefined ? [method, route, status, `${ms}ms`] : [`${level}:`, message];
  return `${[time, ...says, ...(trace === undefined ? [] : [trace])].join(' ')}\n`;
}

/** No query, header or body: they may hold secrets. */
function logRequest(request: FastifyRequest, status: number, elapsed: number): void {
  // Not the request's own logger, which adds its id to each line.
  const { log } = request.server;
  const fields = {
    method: request.method,
    route: request.routeOptions.url,
    status,
    ms: Math.round(elapsed * 10) / 10,
    ...traceOf(traceparentOf(request)),
  };
  if (status >= 500) log.error(fields);
  else if (!isProbe(request)) log.info(fields);
}

/** Throws 400 for bytes that are not UTF-8: they would be stored as another text. */
function textOf(body: Buffer): string {
  if (!isUtf8(body)) throw invalid({ path: 'body', message: 'is not UTF-8' });
  return body.toString();
}

function wireRequest({ method, url, headers, body }: FastifyRequest): WireRequest {
  return { method, url, headers: plainHeaders(headers), ...(typeof body === 'string' && { body }) };
}

function send(reply: FastifyReply, { status, headers, body }: WireResponse): FastifyReply {
  return reply
    .code(status)
    .headers(headers)
    .send(body.length > 0 ? Buffer.from(body.buffer, body.byteOffset, body.length) : undefined);
}

/** Answers what is not HTTP, and headers beyond what Node reads. */
function refuseConnection(app: FastifyInstance, error: Error & { code: string }, socket: Socket): void {
  // A client that went away: its request is logged when the response is ready.
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE' || socket.destroyed) {
    socket.destroy();
    return;
  }
  // Once for each connection: what follows the response is not HTTP either.
  if (!socket.writable) return;
  const [status, message] = unreadable(error.code);
  const body = JSON.stringify({ error: message, status });
  app.log.info({ method: '-', status, ms: 0 });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: ${jsonType}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

function unreadable(code: string): readonly [status: number, message: string] {
  if (code === 'HPE_HEADER_OVERFLOW') return [431, `URL and headers are larger than ${maxHeadBytes} bytes`];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'The request took too long to arrive'];
  return [400, 'The request is not valid HTTP'];
}

/** A request that fastify refused before the API was called. */
function refusalResponse(error: unknown): WireResponse {
  if (error instanceof ApiError) return errorResponse(error);
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status === 413) return errorResponse(tooLarge());
  const isRefusal = error instanceof Error && status >= 400 && status < 500;
  return errorResponse(isRefusal ? new ApiError(status, error.message) : new ApiError(500, 'Internal error'));
}

function plainHeaders(headers: FastifyRequest['headers']): Headers {
  const plain: Headers = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) plain[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return plain;
}

export interface ListenOptions extends AppOptions {
  /** Default 127.0.0.1: reachable from this machine only. */
  host?: string;
  /** Names under which it answers. Default: of loopback, when only this machine reaches it, else any. */
  allowHosts?: readonly string[] | undefined;
  /** 0: a free one. */
  port: number;
}

export interface Listening {
  /** `http://127.0.0.1:4010`, with the port in use. */
  url: string;
  port: number;
  /** For events that are not requests. */
  log: FastifyBaseLogger;
  /** Reports not ready, and goes on answering until a proxy that probes `/readyz` has taken the server out. */
  drain(): Promise<void>;
  /** Stops accepting requests, lets those in flight finish, and resolves. The store stays open. */
  close(): Promise<void>;
}

/** The time for requests in flight while closing: a little longer than a statement may run. */
const graceMs = 35_000;

/** Milliseconds in which a proxy notices that a server is not ready: HAProxy's own settings are three probes in 6 s. */
const drainMs = 8_000;
/** A proxy that has not probed for this long is gone. */
const forgottenMs = 60_000;

export async function listen(
  store: Store,
  { host = '127.0.0.1', port, allowHosts, ...options }: ListenOptions,
): Promise<Listening> {
  const hosts = hostsOf(host, allowHosts);
  const readiness: Readiness = { isStopping: false };
  const app = await createApp(store, { ...options, hosts }, readiness);
  const { url, port: bound } = await listenAt(app, { flag: '--port', host, port });
  return {
    url,
    port: bound,
    log: app.log,
    async drain() {
      const { probedAt } = readiness;
      if (probedAt === undefined || performance.now() - probedAt > forgottenMs) return;
      readiness.isStopping = true;
      await sleep(drainMs);
    },
    async close() {
      const cut = setTimeout(() => app.server.closeAllConnections(), graceMs);
      await app.close();
      clearTimeout(cut);
    },
  };
}

/** The names that a server answers to: of loopback, when only this machine reaches it, else any. */
function hostsOf(host: string, allowHosts: readonly string[] | undefined): readonly string[] | undefined {
  return allowHosts ?? (isLoopback(host) ? [] : undefined);
}

interface Address {
  flag: string;
  host: string;
  port: number;
}

/** Listens, and closes the app where that fails. @returns `http://127.0.0.1:4010`, and the port in use */
async function listenAt(app: FastifyInstance, address: Address): Promise<{ url: string; port: number }> {
  const { host, port } = address;
  try {
    await app.listen({ host, port, listenTextResolver: (text) => `listening at ${text}` });
  } catch (cause) {
    await app.close();
    throw portFailure(cause, address);
  }
  // An object because it listens on a port, not on a socket file.
  const { port: bound } = app.server.address() as AddressInfo;
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`, port: bound };
}

export interface TextPage {
  url: string;
  close(): Promise<void>;
}

/** A server of one page, such as `/metrics`, which answers to the same names as the API. */
export async function listenWithPage(
  path: string,
  address: Address & { allowHosts?: readonly string[] | undefined },
  read: () => Promise<{ type: string; text: string }>,
): Promise<TextPage> {
  const { fastify } = await import('fastify');
  const app = fastify({ forceCloseConnections: true });
  refuseStrangers(app, hostsOf(address.host, address.allowHosts));
  app.get(path, async (_request, reply) => {
    const { type, text } = await read();
    return reply.type(type).send(text);
  });
  const { url } = await listenAt(app, address);
  return { url: `${url}${path}`, close: async () => app.close() };
}

/** The failure of a server that cannot listen. */
function portFailure(cause: unknown, { flag, host, port }: Address): unknown {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'EADDRINUSE') {
    return usage(`port ${port} on ${host} is already in use`, `choose another ${flag}, or 0 for a free one`);
  }
  if (code === 'EACCES')
    return usage(`cannot open port ${port} on ${host}: permission denied`, `choose a ${flag} above 1023`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return usage(`${host} is not an address of this machine`, 'choose another --host');
  }
  return cause;
}

/** Probes of supervisors and load balancers, without a credential: the process is alive, and can answer. */
const probes: readonly (string | undefined)[] = ['/healthz', '/readyz'];

/** A database that does not answer a probe within this time is unreachable, whatever a request would wait for. */
const probeMs = 5_000;

function isProbe({ routeOptions }: FastifyRequest): boolean {
  return probes.includes(routeOptions.url);
}

function addProbes(app: FastifyInstance, store: Store, readiness: Readiness): void {
  app.get('/healthz', { exposeHeadRoute: true }, () => ({ status: 'ok' }));
  app.get('/readyz', { exposeHeadRoute: true }, async (_request, reply) => {
    readiness.probedAt = performance.now();
    const reason = readiness.isStopping ? 'The server is stopping' : await unready(store);
    if (reason === undefined) return { status: 'ok' };
    return reply.code(503).header('retry-after', '1').send({ error: reason, status: 503 });
  });
}

/** Why the database cannot be used; undefined when it can. */
export async function unready(store: Store, patienceMs = probeMs): Promise<string | undefined> {
  try {
    requireFiles(store.engine);
    const version = await within(patienceMs, readMeta(store.db, 'schema_version').then(Number));
    if (version === undefined) return 'The database does not answer';
    if (version === newestSchema || version === previousSchema) return undefined;
    return version > newestSchema
      ? 'The database was migrated by a newer comem; update this one'
      : 'The migrations of the database are not complete';
  } catch (error) {
    return failureOf(store.engine, error)?.says ?? 'The database cannot be read';
  }
}

/** Whether an address or name means this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

/**
 * Refuses requests that name another host than loopback and these; undefined: none. A page on the web can point its own
 * name at this machine, and then a browser sends its requests here.
 */
function refuseStrangers(app: FastifyInstance, names: readonly string[] | undefined): void {
  if (names === undefined) return;
  const allowed = names.map(nameOf);
  app.addHook('onRequest', ({ headers: { host } }, reply, done) => {
    const name = host === undefined ? 'localhost' : nameOf(host);
    // Only HTTP/1.0, which no browser speaks, has no host.
    if (isLoopback(name) || name.endsWith('.localhost') || allowed.includes(name)) return done();
    const says = `This server answers to localhost, not to ${name}; --allow-host adds a name`;
    send(reply, errorResponse(new ApiError(421, says)));
  });
}

/** The host name without port, brackets and a final dot. */
function nameOf(host: string): string {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.trim()) ?? [];
  return (bracketed ?? plain).toLowerCase().replace(/\.$/, '');
}
