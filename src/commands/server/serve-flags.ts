import { flag, inGroup } from '../../cli/define.ts';
import { databaseFlags } from './database.ts';

export const serveFlags = {
  port: flag.integer('N', 'port; default 4010; a free one for 0 and with -- COMMAND', { minimum: 0, maximum: 65_535 }),
  host: flag.text('HOST', 'address to listen on; default 127.0.0.1, only this machine'),
  allowHost: flag.list('NAME', 'a name in Host to answer to, beside those of loopback'),
  ...databaseFlags,
  seed: flag.text('demo|FILE|none', 'first content; default demo in a new local folder, else none'),
  now: flag.text('TIME', 'fixed clock; default COMEM_NOW, else that of the data'),
  ...inGroup('FAULTS', {
    latency: flag.text('TIME', 'wait before each response, such as 20ms'),
    fail: flag.list("'METHOD PATH=FAULT@K/N'", 'fail K of N requests: a status, drop, drop-after or html'),
    rateLimit: flag.text('N/s', 'answer 429 above this rate per second (or N/m: per minute)'),
    expireSession: flag.text('TIME', 'refuse a session this long after its first request'),
    maxPage: flag.integer('N', 'the most rows of a page, whatever limit a request has', { minimum: 1 }),
  }),
};
