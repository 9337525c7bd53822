/** Many items without keeping everything else waiting. */
import { Failure } from './errors.ts';

/** So long nothing else happens: a person takes less for at once. */
const longest = 50;

/** The items, with turns for events between them. @throws interrupted once the signal has aborted */
export async function* withTurns<T>(items: Iterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  let began = performance.now();
  for (const item of items) {
    if (performance.now() - began > longest) {
      await new Promise(setImmediate);
      if (signal?.aborted) throw new Failure('interrupted', 'interrupted');
      began = performance.now();
    }
    yield item;
  }
}
