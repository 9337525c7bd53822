import { describe, expect, it } from 'vitest';
import { withRedirects } from '../../src/client/retry.ts';
import type { WireRequest, WireResponse } from '../../src/core/wire.ts';

const start = 'https://api.example/v1/api/lists?companyId=c';

/** Answers by URL; everything else is 200. */
async function follow(moves: Record<string, [number, string | undefined]>, method = 'GET') {
  const sent: WireRequest[] = [];
  const send = withRedirects(async (request): Promise<WireResponse> => {
    sent.push(request);
    const [status, location] = moves[request.url] ?? [200, undefined];
    return { status, headers: location === undefined ? {} : { location }, body: Buffer.from('[]') };
  });
  const { status } = await send({ method, url: start, headers: { cookie: 'sid=1' } });
  return { status, urls: sent.map(({ url }) => url), headers: sent.map(({ headers }) => headers.cookie) };
}

describe('redirects', () => {
  it.each([
    [307, '/v2/api/lists?companyId=c', 'https://api.example/v2/api/lists?companyId=c'],
    [308, 'https://api.example/v2/api/lists', 'https://api.example/v2/api/lists'],
    [308, 'lists/?companyId=c#top', 'https://api.example/v1/api/lists/?companyId=c'],
  ])('%i of a GET to %s is followed', async (code, location, reached) => {
    const { status, urls, headers } = await follow({ [start]: [code, location] });
    expect([status, urls, headers]).toEqual([200, [start, reached], ['sid=1', 'sid=1']]);
  });

  it.each([
    ['another host', 'GET', 308, 'https://evil.example/api/lists'],
    ['another port', 'GET', 307, 'https://api.example:8443/api/lists'],
    ['plain http', 'GET', 307, 'http://api.example/v1/api/lists'],
    ['a host without a scheme', 'GET', 308, '//evil.example/api/lists'],
    ['a user name', 'GET', 308, 'https://a:b@api.example/api/lists'],
    ['nowhere', 'GET', 307, undefined],
    ['what is no address', 'GET', 307, 'https://['],
    ['a login page', 'GET', 302, '/login'],
    ['another place', 'GET', 301, '/v2/api/lists'],
    ['the result of a form', 'GET', 303, '/v2/api/lists'],
    ['another place, of a write', 'POST', 308, '/v2/api/lists?companyId=c'],
    ['a login page, of a write', 'POST', 307, '/login?companyId=c'],
    ['another place, of a change', 'PATCH', 307, '/v2/api/lists'],
    ['another place, of a deletion', 'DELETE', 307, '/v2/api/lists'],
  ] as const)('to %s is the answer', async (_, method, code, location) => {
    const { status, urls } = await follow({ [start]: [code, location] }, method);
    expect([status, urls]).toEqual([code, [start]]);
  });

  it('end in a circle', async () => {
    const other = 'https://api.example/b';
    const { status, urls } = await follow({ [start]: [307, '/b'], [other]: [307, start] });
    expect(status).toBe(307);
    expect(urls).toHaveLength(6);
  });

  it('keep the credentials within the origin when a second one leaves it', async () => {
    const there = 'https://api.example/b';
    const { status, urls } = await follow({ [start]: [308, '/b'], [there]: [308, 'https://evil.example/'] });
    expect([status, urls]).toEqual([308, [start, there]]);
  });
});
