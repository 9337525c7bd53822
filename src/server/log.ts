/** The server's log, written by fastify's pino: one line for each request and event. */
import type { FastifyLoggerOptions } from 'fastify';

export interface LogOptions {
  level: 'error' | 'warn' | 'info' | 'debug';
  /** `json`: one object a line, for programs. `text`: for people. */
  format: 'json' | 'text';
  write(line: string): void;
}

/** `time` and `level` are text, so that a line can be read without pino's tables. */
export function loggerOptions({ level, format, write }: LogOptions) {
  return {
    level,
    base: null,
    messageKey: 'message',
    // The machine's clock, even when the API's is fixed.
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    stream: { write: format === 'json' ? write : (line: string) => write(textLine(JSON.parse(line))) },
  } satisfies FastifyLoggerOptions & Record<string, unknown>;
}

interface LogLine {
  time: string;
  level: string;
  message?: string;
  method?: string;
  route?: string;
  status?: number;
  ms?: number;
  company?: string;
  key?: string;
}

function textLine({ time, level, message, method, route, status, ms, company, key }: LogLine): string {
  if (message !== undefined) return `${time} ${level}: ${message}\n`;
  return `${[time, method, route ?? '-', status, `${ms}ms`, company ?? '-', key ?? '-'].join(' ')}\n`;
}
