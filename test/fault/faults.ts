/** Everything that a server, or what is between, does wrong; and what is right then. */
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { type Answer, ids, type Respond, send, uuid } from './honest.ts';

/** What a fault may end as. Whatever it is, exit 0 is right only with the output of an honest server. */
export const kinds = {
  /** Different, and allowed: the output is that of an honest server. */
  harmless: [],
  /** Not found. */
  missing: [3],
  /** A credential that is not accepted, or a redirect. */
  credential: [4],
  /** Try later. */
  later: [5],
  /** Refused, or not the API. */
  refused: [6],
  /** Pages that do not hold what they announce. */
  paging: [6],
  /** More than a response may hold. */
  bounds: [6],
  /** About something else than was asked. */
  foreign: [6],
  /** Without an optional field: other output is right where nothing depends on it. */
  lacking: [6],
  /** A page of HTML: a session has ended, or it is not the API. */
  html: [3, 4, 6],
} as const;

export interface Fault {
  name: string;
  kind: keyof typeof kinds;
  respond: Respond;
  /** Only the time-out ends it. */
  silent?: boolean;
}

const fault = (name: string, kind: Fault['kind'], respond: Respond): Fault => ({ name, kind, respond });
/** The same answer, changed. */
const changed = (
  name: string,
  kind: Fault['kind'],
  change: (answer: Answer, query: URLSearchParams) => Partial<Answer>,
) => fault(name, kind, (answer, to) => send({ ...answer, ...change(answer, to.asked.query) }, to));
/** Other bytes under a good status and the headers of the answer. */
const bytes = (name: string, kind: Fault['kind'], make: (body: Buffer) => Buffer | string, headers = {}) =>
  fault(name, kind, ({ status, headers: own, body }, { response }) => {
    response.writeHead(status === 204 ? 200 : status, { ...own, ...headers }).end(make(Buffer.from(body)));
  });
/** Bytes on the socket instead of a response. */
const raw = (name: string, kind: Fault['kind'], make: (answer: Answer) => string | Buffer) =>
  fault(name, kind, (answer, { socket }) => {
    socket.end(make(answer));
  });

const kindOf = (status: number): Fault['kind'] => {
  if (status === 404) return 'missing';
  if (status === 401 || status === 403 || status < 400) return 'credential';
  return status === 429 || status >= 500 ? 'later' : 'refused';
};
const error = (status: number) => JSON.stringify({ error: 'no', status, details: null });

const statuses = [
  ...[400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 412, 413, 414, 415, 418, 422, 423, 428, 431, 451, 499],
  ...[429, 500, 501, 502, 503, 504, 507, 520, 599],
].map((status) => changed(`status ${status}`, kindOf(status), () => ({ status, body: error(status) })));

const pages = [401, 403, 404, 429, 500, 502, 503, 400].map((status) =>
  changed(`status ${status} with a page of HTML`, status === 404 || status === 400 ? 'html' : kindOf(status), () => ({
    status,
    headers: { 'content-type': 'text/html' },
    body: '<html><body>sorry</body></html>',
  })),
);

const redirects = [300, 301, 302, 303, 307, 308].map((status) =>
  changed(`redirect ${status}`, 'credential', () => ({
    status,
    headers: { location: 'http://127.0.0.1:9/login?token=x' },
    body: '',
  })),
);

const notJson: [string, string | ((body: Buffer) => Buffer | string)][] = [
  ['white space', ' \n '],
  ['half of the JSON', (body) => body.subarray(0, body.length >> 1)],
  ['all but the last byte', (body) => body.subarray(0, -1)],
  ['JSON and a letter', (body) => `${body}x`],
  ['JSON twice', (body) => `${body}${body}`],
  ['JSON and a comment', (body) => `${body}// end`],
  ['a NUL before the JSON', (body) => `\0${body}`],
  ['single quotes', (body) => String(body).replaceAll('"', "'")],
  ['NaN', '[NaN]'],
  ['plain text', 'OK'],
  ['an open string', '["abc'],
  ['a tab in a string', '["a\tb"]'],
  ['UTF-16', (body) => Buffer.from(String(body), 'utf16le')],
  ['a deep array without its end', '['.repeat(200_000)],
  ['a deep object without its end', '{"a":'.repeat(100_000)],
  ['a deep array', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ['deep objects under an extra field', `{"x":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`],
  ['undefined', 'undefined'],
  ['a JavaScript call', (body) => `callback(${body})`],
  ['a leading comma', (body) => `,${body}`],
];

const bodies = [
  ...notJson.map(([name, body]) => bytes(name, 'refused', (own) => (typeof body === 'string' ? body : body(own)))),
  bytes('nothing', 'refused', () => ''),
  bytes('an Error under 200', 'refused', () => error(500)),
  bytes('an Error with an id under 200', 'refused', () => JSON.stringify({ error: 'no', status: 500, id: uuid(900) })),
  bytes('HTML', 'html', () => '<!doctype html><title>Sign in</title>', { 'content-type': 'text/html' }),
  bytes('XML', 'html', () => '<?xml version="1.0"?><rows/>'),
  bytes('a byte order mark', 'harmless', (body) => `\ufeff${body}`),
  bytes('white space around the JSON', 'harmless', (body) => `\r\n\t ${body} \n\n`),
  bytes('another content type', 'harmless', (body) => body, { 'content-type': 'text/plain; charset=latin1' }),
  bytes('escaped letters', 'harmless', (body) =>
    String(body).replace(/"[^"]*"/g, (text) => text.replaceAll('e', '\\u0065')),
  ),
];

const wire = [
  fault('the connection closed without an answer', 'later', (_, { socket }) => socket.destroy()),
  fault('the connection reset', 'later', (_, { socket }) => socket.resetAndDestroy()),
  raw('half of a status line', 'later', () => 'HTTP/1.1 20'),
  raw('no status line', 'later', () => 'garbage\r\n\r\n'),
  raw('an SSH greeting', 'later', () => 'SSH-2.0-OpenSSH_9.2\r\n'),
  raw('headers without an end', 'later', () => 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'),
  raw('a header of 200 KB', 'later', () => `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}\r\n\r\n[]`),
  raw('a header with a NUL', 'later', () => 'HTTP/1.1 200 OK\r\nx: a\0b\r\ncontent-length: 2\r\n\r\n[]'),
  raw('two lengths', 'later', ({ body }) => `HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n${body}`),
  raw('a length that is no number', 'later', ({ body }) => `HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n${body}`),
  raw(
    'a body shorter than its length',
    'later',
    ({ body }) => `HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n${body}`,
  ),
  raw('chunks without an end', 'later', ({ body }) => {
    return `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n`;
  }),
  raw(
    'a chunk of no size',
    'later',
    ({ body }) => `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n${body}`,
  ),
  raw('an upgrade', 'later', () => 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  { ...fault('silence', 'later', () => {}), silent: true },
  {
    ...fault('silence in the body', 'later', ({ body }, { response }) => {
      response.writeHead(200).write(body.slice(0, 9));
    }),
    silent: true,
  },
  fault('early hints first', 'harmless', (answer, to) => {
    to.response.writeEarlyHints({ link: '</x>; rel=preload' });
    send(answer, to);
  }),
  fault('one byte at a time', 'harmless', ({ status, headers, body }, { response }) => {
    response.writeHead(status, headers);
    if (status !== 204) for (const byte of Buffer.from(body.slice(0, 300))) response.write(Buffer.of(byte));
    response.end(status === 204 ? undefined : body.slice(300));
  }),
  changed('connection: close', 'harmless', ({ headers }) => ({ headers: { ...headers, connection: 'close' } })),
  changed('many headers', 'harmless', ({ headers }) => ({
    headers: { ...headers, ...Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`x-${n}`, 'y'])) },
  })),
];

const encodings = [
  bytes('gzip', 'harmless', (body) => gzipSync(body), { 'content-encoding': 'gzip' }),
  bytes('GZIP', 'harmless', (body) => gzipSync(body), { 'content-encoding': 'GZIP' }),
  bytes('brotli', 'harmless', (body) => brotliCompressSync(body), { 'content-encoding': 'br' }),
  bytes('deflate', 'harmless', (body) => deflateSync(body), { 'content-encoding': 'deflate' }),
  bytes('identity', 'harmless', (body) => body, { 'content-encoding': 'identity' }),
  bytes('gzip that is cut off', 'later', (body) => gzipSync(body).subarray(0, -9), { 'content-encoding': 'gzip' }),
  bytes('gzip that is none', 'later', (body) => body, { 'content-encoding': 'gzip' }),
  bytes('brotli that is gzip', 'later', (body) => gzipSync(body), { 'content-encoding': 'br' }),
  bytes('gzip twice', 'later', (body) => gzipSync(gzipSync(body)), { 'content-encoding': 'gzip, gzip' }),
  bytes('an unknown encoding', 'later', (body) => body, { 'content-encoding': 'zstd' }),
];

const bomb = gzipSync(Buffer.alloc(3 << 20, ' '));
const piece = Buffer.alloc(1 << 18, ' ');
const endless = (response: ServerResponse, chunk: Buffer) => {
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
};

const bounds = [
  bytes('a gzip bomb', 'bounds', () => bomb, { 'content-encoding': 'gzip' }),
  bytes('a brotli bomb', 'bounds', () => brotliBomb, { 'content-encoding': 'br' }),
  bytes('a line of 2 MiB', 'bounds', () => `"${'x'.repeat(2 << 20)}"`),
  fault('a body without an end', 'bounds', (_, { response }) => endless(response.writeHead(200), piece)),
  fault('gzip without an end', 'bounds', (_, { response }) => {
    endless(response.writeHead(200, { 'content-encoding': 'gzip' }), bomb);
  }),
  fault('a length of 10 GB', 'bounds', (_, { response }) => {
    response.writeHead(200, { 'content-length': '10000000000' }).write('[');
  }),
];
const brotliBomb = brotliCompressSync(Buffer.alloc(3 << 20, ' '));

/** Reads of several rows with something else in them. */
type Rows = Record<string, unknown>[];
const rowsOf = (value: unknown): Rows | undefined => {
  if (Array.isArray(value)) return value as Rows;
  const { items, grants, metrics } = value as { items?: Rows; grants?: Rows; metrics?: { periods?: Rows } };
  return items ?? grants ?? metrics?.periods;
};
const isPaged = (path: string) => /\/(entries|series)$|\/published\//.test(path);
/** JSON of a GET with rows, changed; other answers stay. */
const json = (
  name: string,
  kind: Fault['kind'],
  change: (
    value: Record<string, unknown> & Rows,
    to: { paged: boolean; byOffset: boolean; index: number; query: URLSearchParams },
  ) => unknown,
  headers: Record<string, string> = {},
) =>
  fault(name, kind, (answer, to) => {
    const { asked, index } = to;
    const value: unknown = answer.body === '' ? undefined : JSON.parse(answer.body);
    if (asked.method !== 'GET' || answer.status !== 200 || rowsOf(value) === undefined) return send(answer, to);
    const place = { paged: isPaged(asked.path), byOffset: asked.path.endsWith('/entries'), index, query: asked.query };
    const body = change(value as Record<string, unknown> & Rows, place) ?? value;
    send({ ...answer, headers: { ...answer.headers, ...headers }, body: JSON.stringify(body) }, to);
  });
const total = (text: string) => ({ 'X-List-Total-Count': text });
const isArray = (value: unknown): value is Rows => Array.isArray(value);

const paging = [
  json('a total that is too large', 'paging', () => undefined, total('230')),
  json('a total beyond all numbers', 'harmless', () => undefined, total('9'.repeat(40))),
  json('a total that is too small', 'harmless', () => undefined, total('1')),
  json('a total of zero', 'harmless', () => undefined, total('0')),
  json('a total that is no number', 'harmless', () => undefined, total('many')),
  json('a negative total', 'harmless', () => undefined, total('-5')),
  json('pages that end early', 'harmless', (value, { byOffset }) => (byOffset ? value.slice(0, 1) : undefined)),
  json('pages of different lengths', 'harmless', (value, { byOffset, index }) => {
    return byOffset ? value.slice(0, 1 + (index % 3)) : undefined;
  }),
  json(
    'no rows after the first page',
    'paging',
    (_, { byOffset, query }) => {
      return byOffset && Number(query.get('offset') ?? 0) > 0 ? [] : undefined;
    },
    total('12'),
  ),
  json(
    'the first rows for every page',
    'paging',
    (value, { byOffset, query }) => {
      if (!byOffset) return undefined;
      return query.get('search') === null ? [first, second] : value;
    },
    total('12'),
  ),
  json(
    'the same rows without ids',
    'paging',
    (_, { byOffset }) => {
      return byOffset
        ? [
            { title: 'a', values: {} },
            { title: 'b', values: {} },
          ]
        : undefined;
    },
    total('12'),
  ),
  json('a cursor that repeats', 'paging', (value, { paged }) => {
    return paged && !isArray(value) ? { ...(value as object), nextCursor: '4', truncated: true } : undefined;
  }),
  json('new cursors and the same rows', 'paging', (value, { paged, index }) => {
    return paged && !isArray(value) ? { ...(value as object), nextCursor: `c${index}`, truncated: true } : undefined;
  }),
  json('new cursors and no rows', 'paging', (value, { paged, index }) => {
    if (!paged || isArray(value)) return undefined;
    const empty = { items: [], observations: [], metrics: { summary: {}, periods: [] } };
    return { ...(value as object), ...empty, nextCursor: `c${index}`, truncated: true };
  }),
  json('truncated without a cursor', 'paging', (value, { paged }) => {
    return paged && !isArray(value) ? { ...(value as object), nextCursor: undefined, truncated: true } : undefined;
  }),
  json('a cursor that is a number', 'paging', (value, { paged }) => {
    return paged && !isArray(value) ? { ...(value as object), nextCursor: 4, truncated: true } : undefined;
  }),
  json('a next page where there are no pages', 'paging', (value, { paged }) => {
    return paged || isArray(value) ? undefined : { ...(value as object), nextCursor: 'more' };
  }),
  json('half of the rows of a response without pages', 'paging', (value, { paged }) => {
    return !paged && !isArray(value) ? { ...(value as object), truncated: true } : undefined;
  }),
];
const [first, second] = [0, 1].map((n) => ({ id: uuid(100 + n), title: `Deal ${n}`, values: {}, archived: false }));

/** Every object of the JSON of an answer, changed. */
const objects = (name: string, kind: Fault['kind'], change: (fields: Record<string, unknown>) => object) =>
  bytes(name, kind, (body) => {
    const visit = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(visit);
      if (typeof value !== 'object' || value === null) return value;
      return change(Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, visit(inner)])));
    };
    return body.length === 0 ? '' : JSON.stringify(visit(JSON.parse(String(body))));
  });
const replaced = (fields: Record<string, unknown>, more: Record<string, unknown>) => ({
  ...fields,
  ...Object.fromEntries(Object.entries(more).filter(([key]) => key in fields)),
});
const named = { companyId: ids.foreign, company_id: ids.foreign, vcCompanyId: ids.foreign };
const other = (name: string, echo: object) =>
  objects(`the answer to another query: ${name}`, 'foreign', (fields) =>
    'metricIds' in fields && 'periodType' in fields ? { ...fields, ...echo } : fields,
  );

const foreign = [
  objects('another company', 'foreign', (fields) =>
    'company' in fields ? { ...fields, company: { id: ids.foreign, name: 'Lumen' } } : replaced(fields, named),
  ),
  other('other metrics', { metricIds: ['nrr'] }),
  other('other periods', { periodType: 'quarter' }),
  other('other versions', { versions: ['forecast'] }),
  other('a later first period', { fromPeriod: '2030-01' }),
  other('an earlier last period', { toPeriod: '2001-01' }),
  other('longer pages', { limit: 1000 }),
  ...['2024-1', '2024Q1', '2024-13', '24-01', '2024-01-01'].map((key) =>
    objects(`a period ${key}`, 'foreign', (fields) => replaced(fields, { periodKey: key })),
  ),
  bytes('Latin-1', 'refused', (body) =>
    Buffer.from(String(body).replace(/"(?=[,}\]])/, '\u00e9"') || '"\u00e9"', 'latin1'),
  ),
  bytes('a cut letter', 'refused', (body) =>
    Buffer.concat([Buffer.from('{"x":"'), Buffer.from([0xe2, 0x82]), Buffer.from('","y":'), body, Buffer.from('}')]),
  ),
];

const optional = [
  ...['id', 'name', 'slug', 'title', 'values', 'position', 'archived', 'created_at', 'updated_at', 'status'],
  ...['metric_ids', 'scope', 'recipient_company_id', 'include_historical', 'company_id', 'companyId', 'company'],
  ...['metrics', 'query', 'currency', 'unit', 'label', 'periodType', 'sentAt', 'list_attributes', 'config', 'source'],
];
const without =
  (field: string) =>
  ({ [field]: _, ...fields }: Record<string, unknown>) =>
    fields;
const lacking = [
  ...optional.map((field) => objects(`no ${field}`, 'lacking', without(field))),
  ...['created_at', 'updated_at', 'metric_ids', 'values', 'config'].map((field) =>
    objects(`${field} null`, 'lacking', (fields) => replaced(fields, { [field]: null })),
  ),
];

/** From the second request on, so that the first page is good. */
function later({ respond, ...rest }: Fault): Fault {
  const after: Respond = (answer, to) => (to.index === 0 ? send : respond)(answer, to);
  return { ...rest, name: `${rest.name}, after a good answer`, respond: after };
}

const base = [
  ...statuses,
  ...pages,
  ...redirects,
  ...bodies,
  ...wire,
  ...encodings,
  ...bounds,
  ...paging,
  ...foreign,
  ...lacking,
];
/** The shorter form leaves out what differs from another one only by its number. */
const short = new Set([
  ...statuses.slice(2, 25).filter((_, at) => at % 3 > 0),
  ...pages.slice(4),
  ...redirects.slice(3),
]);
const some = base.filter((each) => !short.has(each) && each.kind !== 'harmless');

export const allFaults: readonly Fault[] = [...base, ...base.map(later)];
export const faults: readonly Fault[] = [...base, ...some.map(later)];
