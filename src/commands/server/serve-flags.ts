import { flag } from '../../cli/define.ts';
import { databaseFlags } from './database.ts';
import { logFlags } from './log.ts';

export const serveFlags = {
  port: flag.integer('N', 'port; default 4010, a free one for 0 and with -- COMMAND', { minimum: 0, maximum: 65_535 }),
  host: flag.text('HOST', 'address to listen on; default 127.0.0.1, reachable from this machine alone'),
  ...databaseFlags,
  seed: flag.text(
    'demo|FILE|none',
    'what a database begins with; default demo in a new folder on this machine, else none',
  ),
  now: flag.text('TIME', "where the server's clock stands; default COMEM_NOW, else the clock of the data"),
  ...logFlags,
  maxPage: flag.integer('N', 'pages never hold more rows than this, whatever limit asks for', { minimum: 1 }),
  latency: flag.text('TIME', 'wait before each answer, such as 20ms'),
  fail: flag.list("'METHOD PATH=FAULT@K/N'", 'let K of every N such requests fail: a status, drop, drop-after or html'),
  rateLimit: flag.text('N/s', 'answer 429 beyond so many requests a second (or N/m: a minute)'),
  expireSession: flag.text('TIME', 'refuse a session so long after it was first seen'),
};
