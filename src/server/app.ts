/** The API behind HTTP: fastify reads and writes, api.ts means. Nothing here opens a port. */
import { STATUS_CODES } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Headers, TransportError, type WireResponse } from '../core/wire.ts';
import { type ApiOptions, createApi, errorResponse } from './api.ts';
import { maxBodyBytes, tooLarge } from './input.ts';
import { ApiError } from './model/failure.ts';
import { addProbes } from './probes.ts';
import type { Store } from './store/store.ts';

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' };

/** Address and headers together: a search or a facet may be ten thousand characters long, percent-encoded. */
const maxHeadBytes = 256 * 1024;

/** How long a client may take, so that slow and silent ones hold no connection for ever. Milliseconds. */
export interface Limits {
  /** For address and headers. */
  head: number;
  /** For the whole request. */
  request: number;
  /** Without a byte in either direction while a request is under way. */
  silence: number;
  /** Between two requests of one connection: longer than the minute that proxies keep theirs. */
  idle: number;
}

const defaultLimits: Limits = { head: 20_000, request: 60_000, silence: 120_000, idle: 75_000 };

export interface AppOptions extends ApiOptions {
  limits?: Partial<Limits> | undefined;
}

/** The whole API as a fastify app, ready for `listen` or `inject`. Closing it does not close the store. */
export async function createApp(store: Store, options: AppOptions = {}): Promise<FastifyInstance> {
  const limits = { ...defaultLimits, ...options.limits };
  const { fastify } = await import('fastify');
  const api = createApi(store, options);
  /** What fastify does not let through to the API. */
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const answer = failed(error);
    options.onAnswer?.({ method: request.method, status: answer.status, ms: reply.elapsedTime });
    return send(reply, answer);
  };
  const app = fastify({
    bodyLimit: maxBodyBytes,
    http: {
      maxHeaderSize: maxHeadBytes,
      headersTimeout: limits.head,
      connectionsCheckingInterval: Math.min(limits.head, 5_000) / 2,
    },
    requestTimeout: limits.request,
    connectionTimeout: limits.silence,
    keepAliveTimeout: limits.idle,
    forceCloseConnections: 'idle',
    // A path that is no text: told as any other malformed input.
    frameworkErrors: (error, request, reply) => refuse(error, request, reply),
    clientErrorHandler(error, socket) {
      // A client that went away: whatever it asked is told when its answer is made.
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE' || socket.destroyed) {
        socket.destroy();
        return;
      }
      // Not HTTP at all, or headers beyond what Node reads.
      const [status, says] = unreadable(error.code);
      const body = JSON.stringify({ error: says, status });
      // Once for each connection: what still comes after the answer is not HTTP either.
      if (!socket.writable) return;
      options.onAnswer?.({ method: '-', status, ms: 0 });
      socket.end(
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: ${jsonHeaders['content-type']}\r\n` +
          `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
      );
    },
  });
  // The body goes on as text: numbers are read exactly, and which types are taken is the API's to say.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  const serve = async (request: FastifyRequest, reply: FastifyReply) => {
    const answer = await api({
      method: request.method,
      url: request.url,
      headers: plainHeaders(request.headers),
      ...(typeof request.body === 'string' && { body: request.body }),
    }).catch((error: unknown) => {
      if (error instanceof TransportError) return undefined;
      throw error;
    });
    if (answer) return send(reply, answer);
    // An injected fault: the connection ends without an answer.
    reply.hijack();
    request.raw.socket.destroy();
    return reply;
  };
  // Routing is the API's too (405 with Allow, the same error shape), so every path goes to it.
  app.setNotFoundHandler(serve);
  app.setErrorHandler(refuse);
  addProbes(app, store, options.onAnswer);
  endConnections(app);
  return app;
}

/** At the end a connection is over with the answer that is under way on it: nobody waits for a client to let go. */
function endConnections(app: FastifyInstance): void {
  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close');
    done(null, payload);
  });
}

function send(reply: FastifyReply, { status, headers, body }: WireResponse): FastifyReply {
  return reply
    .code(status)
    .headers(headers)
    .send(body.length > 0 ? Buffer.from(body.buffer, body.byteOffset, body.length) : undefined);
}

function unreadable(code: string): readonly [status: number, says: string] {
  if (code === 'HPE_HEADER_OVERFLOW') return [431, `Address and headers are larger than ${maxHeadBytes} bytes`];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'The request took too long to arrive'];
  return [400, 'The request is not HTTP that can be read'];
}

/** What fastify refused before the API saw it. */
function failed(error: unknown): WireResponse {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status === 413) return errorResponse(tooLarge());
  if (status >= 400 && status < 500) {
    return errorResponse(new ApiError(status, error instanceof Error ? error.message : 'Malformed request'));
  }
  return errorResponse(new ApiError(500, 'Internal error'));
}

function plainHeaders(headers: FastifyRequest['headers']): Headers {
  const plain: Headers = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) plain[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return plain;
}
