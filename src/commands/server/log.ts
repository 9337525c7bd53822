/** The server's log: one line on stderr for each request and event, for people or for programs. */

import type { Context } from '../../cli/context.ts';
import { flag } from '../../cli/define.ts';
import type { AnswerRecord } from '../../server/api.ts';

const levels = ['error', 'warn', 'info', 'debug'] as const;
type Level = (typeof levels)[number];

export const logFlags = {
  logLevel: flag.text('LEVEL', 'what is logged on stderr; default info, and warn with -- COMMAND', { choices: levels }),
  logFormat: flag.text('FORMAT', 'default text on a terminal, else json: one object a line', {
    choices: ['json', 'text'],
  }),
};

export interface Log {
  event(level: Level, text: string): void;
  answer(record: AnswerRecord): void;
}

export function serverLog(
  { runtime }: Context,
  flags: { logLevel?: string | undefined; logFormat?: string | undefined },
  otherwise: Level,
): Log {
  const most = levels.indexOf(levels.find((level) => level === flags.logLevel) ?? otherwise);
  const asText = (flags.logFormat ?? (runtime.terminal.stderrIsTTY ? 'text' : 'json')) === 'text';
  const write = (level: Level, fields: Record<string, unknown>, text: () => string) => {
    if (levels.indexOf(level) > most) return;
    // The machine's own clock: the API's may stand still.
    const time = new Date().toISOString();
    runtime.stderr.write(asText ? `${time} ${text()}\n` : `${JSON.stringify({ time, level, ...fields })}\n`);
  };
  return {
    event: (level, message) => write(level, { message }, () => `${level}: ${message}`),
    answer(record) {
      const { method, route, status, company, key } = record;
      const ms = Math.round(record.ms * 10) / 10;
      const usual = record.isProbe ? 'debug' : 'info';
      write(status >= 500 ? 'error' : usual, { method, route, status, ms, company, key }, () =>
        [method, route ?? '-', status, `${ms}ms`, company ?? '-', key ?? '-'].join(' '),
      );
    },
  };
}
