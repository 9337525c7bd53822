/** Companies that could not be read while others could. */

import type { Context } from '../../../cli/context.ts';
import { amount } from '../../../cli/words.ts';
import { allFailed, Failure, isForgivable } from '../../../core/errors.ts';

export interface CompanyFailures {
  /** Says on stderr that a company could not be read (whole), and keeps it for the verdict. @throws what is no such thing */
  add(companyId: string, error: unknown, rows: 'some' | 'none'): void;
  has(companyId: string): boolean;
  /** What to throw once the rows of the others are written; undefined when none failed. */
  verdict(companies: readonly string[]): Failure | undefined;
}

export function companyFailures(ctx: Context): CompanyFailures {
  const failed = new Map<string, Failure>();
  let someRows = false;
  const aliases = new Map(Object.entries(ctx.settings.aliases).map(([alias, id]) => [id, alias]));
  const nameOf = (companyId: string) => aliases.get(companyId) ?? companyId;
  return {
    add(companyId, error, rows) {
      if (!isForgivable(error) || error.kind === 'usage') throw error;
      failed.set(companyId, error);
      someRows ||= rows === 'some';
      const left = rows === 'some' ? 'was not read to its end' : 'could not be read';
      const onward = error.resume && `go on with ${error.resume}`;
      const hint = [error.hint, onward].filter(Boolean).join('; ');
      ctx.out.warn(`company ${nameOf(companyId)} ${left}: ${error.message}${hint && ` (${hint})`}`);
    },
    has: (companyId) => failed.has(companyId),
    verdict(companies) {
      const [first] = failed.values();
      if (first === undefined) return undefined;
      const [all, bad] = [companies.length, failed.size];
      const hint = `failed: ${[...failed.keys()].map(nameOf).join(', ')}`;
      const details = [...failed].map(([companyId, { code, message, status }]) => ({
        companyId,
        code,
        message,
        status,
      }));
      if (bad < all || someRows) {
        const said = `${all - bad} of ${amount(all, 'company', 'companies')} were read, ${bad} failed`;
        return new Failure('partial', said, { hint, details });
      }
      const says = `none of ${all} companies could be read`;
      return allFailed([...failed.values()], says, { hint: first.hint ?? hint, details });
    },
  };
}
