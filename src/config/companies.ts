/** Companies by the aliases that a profile keeps for them (`-c ID|ALIAS`). */
import { isUuid } from '../contract/validate.ts';
import { Failure, usage } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import { namePattern, nameRule } from './profile.ts';

/**
 * The uuid of a company. A uuid is never looked up.
 * @throws notFound listing the aliases when the profile has no such one
 */
export function resolveCompany(
  text: string,
  aliases: Readonly<Record<string, string>>,
  from: string,
  profile: string,
): string {
  const given = text.trim();
  if (isUuid(given)) return given;
  const kept = Object.hasOwn(aliases, given) ? aliases[given] : undefined;
  if (kept !== undefined) return kept;
  const known = Object.keys(aliases).sort();
  throw new Failure('notFound', `${from}: "${text}" is neither a uuid nor a company alias of profile "${profile}"`, {
    hint: known.length
      ? `${suggested(given, known)}Its aliases are ${known.join(', ')}`
      : `Keep one with \`comem companies add ${namePattern.test(given) ? given : 'ALIAS'} UUID\``,
  });
}

/** `Did you mean lumen? ` where one of the known words is near. */
export function suggested(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === undefined ? '' : `Did you mean ${near}? `;
}

/** @throws usage when the text cannot be an alias */
export function checkAlias(alias: string): string {
  if (isUuid(alias)) throw usage(`an alias stands for a uuid and cannot be one itself: "${alias}"`);
  if (!namePattern.test(alias)) throw usage(`the alias must be ${nameRule}, but is "${alias}"`);
  return alias;
}

/** @throws usage when the text is no uuid */
export function checkCompanyId(text: string, from: string): string {
  if (!isUuid(text.trim())) throw usage(`${from} must be the uuid of a company, but is "${text}"`);
  return text.trim();
}
