/** A command's context over the real client and a scripted transport, for the machinery between commands and client. */
import type { Context, PlannedCall } from '../../src/cli/context.ts';
import { createClient } from '../../src/client/client.ts';
import type { WireRequest, WireResponse } from '../../src/core/wire.ts';

export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface Scripted {
  ctx: Context;
  /** `GET /api/lists?companyId=…`, decoded, in the order sent. */
  requests: string[];
  warnings: string[];
  /** What commands asked to be prepared, with its question. */
  prepared: { calls: readonly PlannedCall[]; question?: string }[];
}

export const companyId = '00000000-0000-4000-8000-00000000c001';

/** Parts of a context that the machinery reads; anything else is a mistake of the test and throws. */
export function scriptedContext(
  answer: (request: { method: string; path: string; query: URLSearchParams; body: unknown }) => Answer,
  settings: Record<string, unknown> = {},
  stdin = '',
): Scripted {
  const requests: string[] = [];
  const warnings: string[] = [];
  const prepared: Scripted['prepared'] = [];
  const transport = async (request: WireRequest): Promise<WireResponse> => {
    const url = new URL(request.url);
    requests.push(`${request.method} ${decodeURIComponent(url.pathname + url.search)}`);
    const asked = { method: request.method, path: url.pathname, query: url.searchParams };
    const { status = 200, headers = {}, body } = answer({ ...asked, body: JSON.parse(request.body ?? 'null') });
    return { status, headers, body: Buffer.from(body === undefined ? '' : JSON.stringify(body)) };
  };
  const credential = { secret: async () => 'secret', from: 'the test' };
  const client = createClient({
    baseUrl: 'http://scripted',
    transport,
    credentials: { key: credential, session: credential },
    company: companyId,
  });
  const parts = {
    runtime: {
      ...{ now: () => new Date('2026-03-05T12:00:00Z'), env: {}, cwd: '/', random: () => 0 },
      ...{ terminal: { stdoutIsTTY: false, stderrIsTTY: false }, signal: new AbortController().signal },
    },
    settings: {
      ...{ raw: false, dryRun: false, output: { value: 'csv' } },
      ...{ aliases: {}, concurrency: 4, companies: { value: [companyId] }, baseUrl: { value: undefined } },
      ...settings,
    },
    out: { warn: (text: string) => warnings.push(text), note: () => {}, about: () => {}, progress: () => {} },
    now: () => new Date('2026-03-05T12:00:00Z'),
    client: async () => client,
    past: undefined,
    company: () => companyId,
    requireCompany: () => companyId,
    prepare: async (calls: readonly PlannedCall[], question?: string) => {
      prepared.push({ calls, ...(question === undefined ? {} : { question }) });
    },
    readArgument: async (argument: string) => (argument === '-' ? stdin : argument),
  };
  return { ctx: parts as unknown as Context, requests, warnings, prepared };
}
