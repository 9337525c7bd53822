/** Whether an API answers at the base URL, and whether its clock and ours agree. */

import type { Context } from '../../cli/context.ts';
import { isEmbedded } from '../../config/settings.ts';
import { getMetricCatalog } from '../../contract/metric-operations.ts';
import type { Headers } from '../../core/wire.ts';
import type { Finding } from './columns.ts';
import { attempt, ok, skipped, wrong } from './findings.ts';

/** With a larger difference, expiry and periods are wrong. */
const mostSkewMs = 60_000;

/** One request without a credential. Any JSON response of the API is fine; usually it is 401. */
export async function reach(ctx: Context, baseUrl: string): Promise<{ answered: boolean; findings: Finding[] }> {
  const { settings, runtime } = ctx;
  const { allowHttp } = settings;
  let clock = skipped('clock', 'the API does not answer');
  let answered = false;
  const address = await attempt('base URL', async () => {
    const client = await ctx.clientFor({ baseUrl, credentials: {}, allowHttp, retries: 0 });
    try {
      const { method, path } = getMetricCatalog;
      const before = runtime.now().getTime();
      const { status, headers, data } = await client.request({ method, path, credential: 'none' });
      clock = compare(headers, (before + runtime.now().getTime()) / 2, ctx, baseUrl);
      const says = `${baseUrl} answers ${status}`;
      if (status >= 300 && status < 400) {
        const to = headers.location?.replace(/[?#].*$/s, '') ?? 'nowhere';
        return wrong(
          'base URL',
          `${says} and redirects to ${to}`,
          'set the base URL to the address that does not redirect',
        );
      }
      if (typeof data !== 'object' || data === null) {
        return wrong('base URL', `${says} with a body that is not the API's JSON`, 'check the address and the proxy');
      }
      if (status === 404) return wrong('base URL', `${says}: no API found there`, 'check the path of the address');
      if (status === 429 || status >= 500)
        return wrong('base URL', `${says}: the server has a problem`, 'try again later');
      answered = true;
      return ok('base URL', `${baseUrl} answers (${settings.baseUrl.from})`);
    } finally {
      await client.close();
    }
  });
  const network = 'check the address, the network and the proxy variables';
  const advised = address.status === 'wrong' ? { ...address, advice: address.advice ?? network } : address;
  return { answered, findings: [advised, clock] };
}

function compare(headers: Headers, middle: number, { runtime: { env } }: Context, baseUrl: string): Finding {
  if (isEmbedded(baseUrl)) return ok('clock', 'the embedded API uses the same clock');
  if (env.COMEM_NOW) return skipped('clock', `COMEM_NOW replaces it: ${env.COMEM_NOW}`);
  const server = Date.parse(headers.date ?? '');
  if (Number.isNaN(server)) return skipped('clock', 'the server sends no date');
  // The header has whole seconds.
  const seconds = Math.round((middle - server - 500) / 1000);
  const size = Math.abs(seconds);
  const apart =
    size < 120 ? `${size} s` : size < 7200 ? `${Math.round(size / 60)} min` : `${Math.round(size / 3600)} h`;
  const says = size <= 1 ? 'agrees with the server' : `${apart} ${seconds < 0 ? 'behind' : 'ahead of'} the server`;
  return size * 1000 <= mostSkewMs ? ok('clock', says) : wrong('clock', says, 'set the clock of this machine');
}
