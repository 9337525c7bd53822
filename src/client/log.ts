import { type Transport, TransportError } from '../core/wire.ts';
import { redactHeaders, redactUrl } from './redact.ts';

/** Says each request and its answer line by line, credentials left out. `clock` gives milliseconds. */
export function withLog(send: Transport, say: (line: string) => void, clock: () => number): Transport {
  return async (request) => {
    const start = clock();
    say(`> ${request.method} ${redactUrl(request.url)}`);
    for (const [name, value] of Object.entries(redactHeaders(request.headers))) say(`> ${name}: ${value}`);
    if (request.body !== undefined) say(`> ${request.body}`);
    try {
      const response = await send(request);
      say(`< ${response.status}, ${response.body.length} bytes in ${Math.round(clock() - start)} ms`);
      for (const [name, value] of Object.entries(redactHeaders(response.headers))) say(`< ${name}: ${value}`);
      return response;
    } catch (error) {
      if (error instanceof TransportError) say(`< no answer after ${Math.round(clock() - start)} ms: ${error.message}`);
      throw error;
    }
  };
}
