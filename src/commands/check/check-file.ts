/** The check file on disk, and the inline form that says the same on the command line. */

import type { Context } from '../../cli/context.ts';
import { Failure } from '../../core/errors.ts';
import { readYaml } from '../../core/yaml.ts';
import { type CheckSection, readChecks } from '../../domain/checks/check-file.ts';
import { defaultFile } from './flags.ts';

/**
 * The sections of a check file.
 * @throws Failure usage that lists every mistake with its line and column
 */
export async function readCheckFile(ctx: Context, file: string): Promise<CheckSection[]> {
  const text = await ctx.readArgument(file === '-' ? '-' : `@${file}`).catch((error: unknown) => {
    if (!(error instanceof Failure) || file !== defaultFile) throw error;
    throw new Failure(error.kind, error.message, {
      hint: `-f names another file; comem check init LIST --out ${defaultFile} writes a first one`,
    });
  });
  const { value, place } = await readYaml(text, file);
  const { sections, problems } = readChecks(value, place);
  if (problems.length === 0) return sections;
  const lines = problems.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`);
  throw new Failure(
    'usage',
    `${file} has ${problems.length} mistake${problems.length === 1 ? '' : 's'}\n  ${lines.join('\n  ')}`,
    {
      code: 'check_file',
      details: problems,
    },
  );
}

/** A section that states expectations of one list in a line each. @throws Failure usage */
export function inlineSection(
  list: string,
  expectations: readonly string[],
  where: string | undefined,
): CheckSection[] {
  const value = { version: 1, checks: [{ list, expect: expectations, ...(where === undefined ? {} : { where }) }] };
  const { sections, problems } = readChecks(value, () => ({ line: 1, column: 1 }));
  const [problem] = problems;
  if (problem)
    throw new Failure(
      'usage',
      problem.message.replace(/^checks\.0\.expect\.\d+: /, '--expect: ').replace(/^checks\.0\./, '--'),
    );
  const unplaced = sections.map((section) => ({
    ...section,
    checks: section.checks.map(({ line: _line, column: _column, ...spec }) => spec),
  }));
  return unplaced;
}

/** Only the checks with one of the tags; sections without any are left out. @throws Failure usage when nothing is left */
export function withTags(sections: readonly CheckSection[], tags: readonly string[] | undefined): CheckSection[] {
  if (!tags || tags.length === 0) return [...sections];
  const kept = sections
    .map((section) => ({
      ...section,
      checks: section.checks.filter((spec) => spec.tags.some((tag) => tags.includes(tag))),
    }))
    .filter((section) => section.checks.length > 0);
  if (kept.length > 0) return kept;
  const known = [...new Set(sections.flatMap((section) => section.checks.flatMap((spec) => spec.tags)))];
  throw new Failure('usage', `--only: no check has the tag ${tags.join(' or ')}`, {
    hint: known.length > 0 ? `tags in the file: ${known.join(', ')}` : 'no check in the file has a tag',
  });
}
