import type { Context } from '../../cli/context.ts';
import { flag, inGroup } from '../../cli/define.ts';
import { jsonLine, messageLine } from '../../output/terminal-text.ts';
import { type LogLevel, type LogOptions, logLevels } from '../../server/log.ts';
import { databaseFlags } from './database.ts';

const logFlags = inGroup('LOG', {
  logLevel: flag.text('LEVEL', 'what to log on stderr; default info, or warn with -- COMMAND', {
    choices: logLevels,
  }),
  logFormat: flag.text('FORMAT', 'default text on a terminal, else json: one object per line', {
    choices: ['json', 'text'],
  }),
});

export const serveFlags = {
  port: flag.integer('N', 'port; default 4010; a free one for 0 and with -- COMMAND', { minimum: 0, maximum: 65_535 }),
  host: flag.text('HOST', 'address to listen on; default 127.0.0.1, only this machine'),
  allowHost: flag.list('NAME', 'a name in Host to answer to, beside those of loopback'),
  ...databaseFlags,
  seed: flag.text('demo|FILE|none', 'first content; default demo in a new local folder, else none'),
  now: flag.text('TIME', 'fixed clock; default COMEM_NOW, else that of the data'),
  ...logFlags,
  ...inGroup('FAULTS', {
    latency: flag.text('TIME', 'wait before each response, such as 20ms'),
    fail: flag.list("'METHOD PATH=FAULT@K/N'", 'fail K of N requests: a status, drop, drop-after or html'),
    rateLimit: flag.text('N/s', 'answer 429 above this rate per second (or N/m: per minute)'),
    expireSession: flag.text('TIME', 'refuse a session this long after its first request'),
  }),
  ...inGroup('LIMITS', {
    maxPage: flag.integer('N', 'the most rows of a page, whatever limit a request has', { minimum: 1 }),
    maxPageBytes: flag.integer('N', 'bytes after which a page ends early; default 4194304', { minimum: 1 }),
    maxTitle: flag.integer('N', 'characters of a title, name or label; default 20000', { minimum: 1 }),
    maxValue: flag.integer('N', 'bytes of a value; default 262144', { minimum: 1 }),
    maxEntry: flag.integer('N', 'bytes of an entry with its values; default 1048576', { minimum: 1 }),
    maxOptions: flag.integer('N', 'options of an attribute; default 10000', { minimum: 1 }),
  }),
};

export function logOptions(
  { runtime }: Context,
  flags: { logLevel?: string | undefined; logFormat?: string | undefined },
  otherwise: LogLevel,
): LogOptions {
  const format = (flags.logFormat ?? (runtime.terminal.stderrIsTTY ? 'text' : 'json')) === 'text' ? 'text' : 'json';
  const clean = format === 'json' ? jsonLine : messageLine;
  return {
    level: logLevels.find((level) => level === flags.logLevel) ?? otherwise,
    format,
    write: (line) => runtime.stderr.write(`${clean(line.replace(/\n$/, ''))}\n`),
  };
}
