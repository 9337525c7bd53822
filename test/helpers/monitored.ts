/** `comem serve` with its metrics, as a process. */
import { demo } from '../../src/core/demo.ts';
import { finished, start, temporaryFolder } from './cli.ts';

export const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
export const traceparent = `00-${trace}-00f067aa0ba902b7-01`;

export async function serving(...argv: string[]) {
  const home = temporaryFolder();
  const child = start(['serve', '--port', '0', '--metrics-port', '0', ...argv], { home, cwd: home });
  let log = '';
  const [url, metrics] = await new Promise<[string, string]>((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      log += chunk;
      const [, at] = /Metrics for Prometheus: (http:\S+)/.exec(log) ?? [];
      const [, served] = /Serving (http:\S+)/.exec(log) ?? [];
      if (at !== undefined && served !== undefined) resolve([served, at]);
    });
    child.on('close', () => reject(new Error(log)));
  });
  const done = finished(child);
  return {
    url,
    log: () => log,
    get: (path: string, headers: Record<string, string> = {}) =>
      fetch(`${url}${path}`, { headers: { authorization: `Bearer ${demo.apiKey}`, ...headers } }),
    scrape: async () => (await fetch(metrics)).text(),
    metrics,
    async stop() {
      child.kill('SIGTERM');
      await done;
    },
  };
}

export const catalog = `/api/metrics/catalog?companyId=${demo.companyId}`;

/** The value of a metric with these labels. */
export function sampleOf(text: string, name: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length));
}
