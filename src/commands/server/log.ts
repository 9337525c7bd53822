/** The flags of the server's log, and where it goes. */

import type { Context } from '../../cli/context.ts';
import { flag, inGroup } from '../../cli/define.ts';
import { type LogLevel, type LogOptions, logLevels } from '../../server/log.ts';

export const logFlags = inGroup('LOG', {
  logLevel: flag.text('LEVEL', 'what to log on stderr; default info, or warn with -- COMMAND', {
    choices: logLevels,
  }),
  logFormat: flag.text('FORMAT', 'default text on a terminal, else json: one object per line', {
    choices: ['json', 'text'],
  }),
});

export function logOptions(
  { runtime }: Context,
  flags: { logLevel?: string | undefined; logFormat?: string | undefined },
  otherwise: LogLevel,
): LogOptions {
  return {
    level: logLevels.find((level) => level === flags.logLevel) ?? otherwise,
    format: (flags.logFormat ?? (runtime.terminal.stderrIsTTY ? 'text' : 'json')) === 'text' ? 'text' : 'json',
    write: (line) => runtime.stderr.write(line),
  };
}
