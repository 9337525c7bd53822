/** An API that knows one key and one session, and a home folder with nothing in it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { Transport, WireResponse } from '../../../src/core/wire.ts';
import { type RunOptions, run } from '../../helpers/run.ts';

export const key = 'cmk_good_key_1234';
export const session = 'token.0=good; token.1=cookie; theme=dark';
export const company = 'aaaaaaaa-0000-4000-8000-000000000001';
export const baseUrl = 'https://api.example.com';

/** Takes `key` for the catalog and `session` for the lists of `company`; says 401 to everything else. */
export const api: Transport = async ({ url, headers }) => {
  const { pathname, searchParams } = new URL(url);
  if (pathname === '/api/metrics/catalog' && headers.authorization === `Bearer ${key}`) {
    return answer(200, { companyId: company, currency: 'USD', sourceBoundary: 'company_internal', definitions: [] });
  }
  if (pathname === '/api/lists' && headers.cookie === session && searchParams.get('companyId') === company) {
    return answer(200, []);
  }
  return answer(401, { error: 'who are you?', status: 401 });
};

function answer(status: number, body: unknown): WireResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(body)) };
}

/** `comem` with that API and a home of its own for each test; nothing of the demo is in the environment. */
export function useAccount() {
  const place = { home: '' };
  beforeEach(() => {
    place.home = mkdtempSync(join(tmpdir(), 'comem-account-'));
  });
  afterEach(() => rmSync(place.home, { recursive: true, force: true }));
  const comem = (line: string | string[], options: RunOptions = {}) =>
    run(typeof line === 'string' ? line.split(' ') : line, {
      home: place.home,
      transport: api,
      ...options,
      env: { COMEM_BASE_URL: undefined, COMEM_COMPANY_ID: undefined, ...options.env },
    });
  return { comem, place };
}
