/** Names of `--out` with placeholders: `series-{company}-{date}.csv`. */
import { usage } from '../core/errors.ts';

export interface NameParts {
  /** The company's alias, else its id; undefined: none is set, or there are several. */
  company: string | undefined;
  /** `2026-01-31`, UTC. */
  date: string;
  profile: string;
}

/** A literal `{` is written `{{`. */
const place = /\{\{|\{(\w*)\}/g;

/** @throws usage naming the placeholders */
export function fileName(pattern: string, parts: NameParts): string {
  return pattern.replace(place, (whole, name: string | undefined) => {
    if (name === undefined) return '{';
    if (!Object.hasOwn(parts, name)) {
      throw usage(
        `--out ${pattern}: ${whole} is not a placeholder`,
        'the placeholders are {company}, {date} and {profile}; write {{ for {',
      );
    }
    const value = parts[name as keyof NameParts];
    if (value !== undefined) return safe(value);
    throw usage(`--out ${pattern} names the company, and none is set`, 'name one with -c COMPANY');
  });
}

/** Whether there is a file for each company. */
export function namesCompany(pattern: string): boolean {
  return [...pattern.matchAll(place)].some(([, name]) => name === 'company');
}

function safe(value: string): string {
  return value.replace(/[^\w.-]/g, '_');
}
