/** What time it is for the API: the periods that have ended are those by its clock. */
import type { Headers } from '../core/wire.ts';

export interface ServerClock {
  /** Looks at the headers of a response. */
  see(headers: Headers): void;
  now(): Date;
}

const dayMs = 86_400_000;

const day = (time: Date): string => time.toISOString().slice(0, 10);

/**
 * @param local this machine's clock
 * @param warn called once, when the time is asked for, if the two differ by more than a day
 */
export function serverClock(local: () => Date, warn: (text: string) => void): ServerClock {
  let ahead: number | undefined;
  let said = false;
  return {
    see({ date }) {
      const server = Date.parse(date ?? '');
      if (ahead !== undefined || Number.isNaN(server)) return;
      ahead = server - local().getTime();
    },
    now() {
      const here = local();
      const server = new Date(here.getTime() + (ahead ?? 0));
      // A command that does not depend on the time need not say so.
      if (!said && Math.abs(ahead ?? 0) > dayMs) {
        said = true;
        warn(`the clock of the server says ${day(server)} and this machine's ${day(here)}: comem goes by the server's`);
      }
      return server;
    },
  };
}
