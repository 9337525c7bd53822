/** Sections that are about several companies. */

import type { CheckSection } from './model.ts';

/** The section for each company: each has its own results. */
export function ofCompanies(section: CheckSection, companies: readonly string[]): CheckSection[] {
  return companies.map((company) => ({
    ...section,
    // The members of a group are named when it is known who they are.
    label: company.startsWith('@') ? section.label : `${section.label} (${company})`,
    company,
    checks: section.checks.map((spec) => ({ ...spec })),
  }));
}

export function companiesOf(value: unknown): string[] {
  const given: unknown[] = Array.isArray(value) ? value : [value];
  return given.filter((one) => typeof one === 'string');
}
