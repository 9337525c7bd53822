/**
 * The flags of injected faults of `comem serve`.
 *
 * `--fail 'METHOD PATH=FAULT@K/N'`: of the requests that match, K in every N fail. METHOD may be `*`; PATH may hold `*`
 * for any text, and a single `*` is every path. FAULT is a status (`503`), `drop` (the connection closes before the
 * request is handled), `drop-after` (it is handled and the response is lost), or `html` (a page instead of the API).
 */
import { usage } from '../core/errors.ts';

type FaultKind = { status: number } | 'drop' | 'drop-after' | 'html';

export interface Fault {
  method: string;
  /** Matches the path without query. */
  path: RegExp;
  kind: FaultKind;
  /** `count` of every `of` matching requests. */
  count: number;
  of: number;
}

const methods = ['*', 'GET', 'POST', 'PATCH', 'DELETE'];
const example = "--fail 'POST /api/lists/*/entries=503@1/20'";

/** Reads one `--fail`. Throws a usage failure that says what is malformed. */
export function parseFault(text: string): Fault {
  const wrong = (message: string) => usage(`--fail '${text}': ${message}`, `write it as ${example}`);
  const parts = /^\s*(\S+)(?:\s+(\S+?))?\s*=\s*([^=@\s]+)(?:@(\S+))?\s*$/.exec(text);
  if (!parts) throw wrong('must be METHOD PATH=FAULT@K/N');
  const [, first = '', second, fault = '', rate = '1/1'] = parts;
  // Method and path are both optional.
  const method = second === undefined && first.startsWith('/') ? '*' : first.toUpperCase();
  const path = second ?? (first.startsWith('/') ? first : '*');
  if (!methods.includes(method)) throw wrong(`the method ${method} must be one of ${methods.join(', ')}`);
  if (path !== '*' && !path.startsWith('/') && !path.startsWith('*'))
    throw wrong(`the path ${path} must begin with / or *`);
  if (path.includes('?')) throw wrong(`the path ${path} is matched without its query, so it must not have one`);
  const share = /^(\d+)\/(\d+)$/.exec(rate);
  const [count, of] = [Number(share?.[1]), Number(share?.[2])];
  if (!share || of === 0 || count > of) throw wrong(`@${rate} must be @K/N with K no more than N, such as @1/20`);
  return { method, path: glob(path), kind: faultKind(fault, wrong), count, of };
}

function faultKind(text: string, wrong: (message: string) => Error): FaultKind {
  if (text === 'drop' || text === 'drop-after' || text === 'html') return text;
  const status = /^\d{3}$/.test(text) ? Number(text) : 0;
  if (status < 400 || status > 599) {
    throw wrong(`${text} must be a status from 400 to 599, drop, drop-after or html`);
  }
  return { status };
}

function glob(pattern: string): RegExp {
  const escaped = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`, 'u');
}

const durationMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Reads `20ms`, `1.5s`, `2m`. Throws a usage failure that names the flag. */
export function parseDuration(flag: string, text: string): number {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim()) ?? [];
  const factor = unit && durationMs[unit];
  if (!factor) throw usage(`${flag} ${text}: must be a duration such as 20ms, 1.5s or 2m`);
  return Number(count) * factor;
}

export interface RateLimit {
  requests: number;
  perMs: number;
}

/** Reads `50/s`, `100/m`. Throws a usage failure. */
export function parseRateLimit(text: string): RateLimit {
  const match = /^(\d+)\/(s|m)$/.exec(text.trim());
  const requests = Number(match?.[1]);
  if (!match || requests === 0)
    throw usage(`--rate-limit ${text}: must be requests per second or minute, such as 50/s`);
  return { requests, perMs: match[2] === 's' ? 1000 : 60_000 };
}
