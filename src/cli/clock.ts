/** What time it is for the API: the periods that have ended are those by its clock. */
import type { Headers } from '../core/wire.ts';

export interface ServerClock {
  /** Looks at the headers of a response. */
  see(headers: Headers): void;
  now(): Date;
}

const dayMs = 86_400_000;

/** @param local this machine's clock. @param onDifference called once where the two differ by more than a day */
export function serverClock(local: () => Date, onDifference: (server: Date, local: Date) => void): ServerClock {
  let ahead: number | undefined;
  return {
    see({ date }) {
      const server = Date.parse(date ?? '');
      if (ahead !== undefined || Number.isNaN(server)) return;
      const here = local();
      ahead = server - here.getTime();
      if (Math.abs(ahead) > dayMs) onDifference(new Date(server), here);
    },
    now: () => new Date(local().getTime() + (ahead ?? 0)),
  };
}
