/** Something of each company that was named: read at once, without those that cannot be read. */

import { limiter } from '../core/concurrency.ts';
import { allFailed, Failure, isSkippable } from '../core/errors.ts';
import type { Context } from './context.ts';
import { resumeFlags } from './report.ts';

/** What was read of one of several companies. */
export interface CompanyPart<T> {
  /** Undefined: the one company of the settings. */
  who: { company: string; companyId?: string } | undefined;
  value: T;
}

export interface Several<T> {
  /** In the order in which the companies were named, without those that could not be read. */
  parts: CompanyPart<T>[];
  /** To be called when the rows of the others are written. @throws Failure naming the companies that failed */
  verdict(): void;
}

const mostCompanies = 8;

/** Reads each company. One that fails is left out with a warning, one of `@all` that may not be read with a note. */
export async function eachCompany<T>(
  ctx: Context,
  read: (companyId: string | undefined) => Promise<T>,
): Promise<Several<T>> {
  const companies = ctx.settings.companies.value;
  if (companies.length < 2) return { parts: [{ who: undefined, value: await read(undefined) }], verdict: () => {} };
  const { companyNames } = await import('./company-names.ts');
  const failures = companyFailures(ctx, companies);
  const refused = new Set<string>();
  const slot = limiter(mostCompanies);
  const names = companyNames(ctx, companies);
  const found = await Promise.all(
    companies.map((companyId) =>
      slot(async () => {
        try {
          return [{ companyId, value: await read(companyId) }];
        } catch (error) {
          if (ctx.settings.everyCompany && isForbidden(error)) refused.add(companyId);
          else failures.add(companyId, error);
          return [];
        }
      }),
    ),
  );
  const named = await names;
  const nameOf = (companyId: string) => named.get(companyId) ?? companyId;
  // Answers come in any order; messages have that of the companies.
  const left = companies.filter((companyId) => refused.has(companyId)).map(nameOf);
  if (left.length > 0) ctx.out.note(`Left out, since the credential may not read them: ${left.join(', ')}.`);
  const parts = found.flat().map(({ companyId, value }) => ({ who: { company: nameOf(companyId), companyId }, value }));
  const verdict = failures.verdict();
  if (verdict && parts.length === 0) throw verdict;
  return {
    parts,
    verdict() {
      if (verdict) throw verdict;
    },
  };
}

function isForbidden(error: unknown): boolean {
  return error instanceof Failure && (error.status === 403 || error.status === 404);
}

export interface CompanyFailures {
  /** Warns that a company could not be read, or not to its end. @throws what must not be skipped */
  add(companyId: string, error: unknown, rows?: 'some' | 'none'): void;
  has(companyId: string): boolean;
  /** What to throw once the rows of the others are written; undefined when none failed. */
  verdict(): Failure | undefined;
}

export function companyFailures(ctx: Context, companies: readonly string[]): CompanyFailures {
  const failed = new Map<string, Failure>();
  let someRows = false;
  const nameOf = (companyId: string) => ctx.companyName(companyId) ?? companyId;
  return {
    add(companyId, error, rows = 'none') {
      if (!isSkippable(error) || error.kind === 'usage') throw error;
      failed.set(companyId, error);
      someRows ||= rows === 'some';
      const says = rows === 'some' ? 'was not read to its end' : 'could not be read';
      const flags = resumeFlags(error.resume);
      const hint = [error.hint, flags && `continue with ${flags}`].filter(Boolean).join('; ');
      ctx.out.warn(`company ${nameOf(companyId)} ${says}: ${error.message}${hint && ` (${hint})`}`);
    },
    has: (companyId) => failed.has(companyId),
    verdict() {
      // Answers come in any order.
      const inOrder = companies.flatMap((companyId) => {
        const failure = failed.get(companyId);
        return failure ? [[companyId, failure] as const] : [];
      });
      const first = inOrder[0]?.[1];
      if (first === undefined) return undefined;
      const [all, bad] = [companies.length, failed.size];
      const hint = `failed: ${inOrder.map(([companyId]) => nameOf(companyId)).join(', ')}`;
      const details = inOrder.map(([companyId, { code, message, status }]) => ({
        ...{ companyId, code, message, status },
      }));
      if (bad < all || someRows) {
        const says = `${all - bad} of ${all} companies were read, ${bad} failed`;
        return new Failure('partial', says, { hint, details });
      }
      const says = `none of ${all} companies could be read`;
      return allFailed(
        inOrder.map(([, failure]) => failure),
        says,
        { hint: first.hint ?? hint, details },
      );
    },
  };
}
