/** What a change of a list does to the entries that are there. */

import { compare } from '../../core/decimal.ts';
import { isNumeric } from '../../core/json.ts';
import type { Difference, Question } from './difference.ts';

/** Whether the entry with these values is one that the question asks for. */
export function meets(question: Question, values: Record<string, unknown> | undefined): boolean {
  const { slug, is, bound, id } = question;
  const value = values && Object.hasOwn(values, slug) ? values[slug] : undefined;
  const empty = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
  switch (is) {
    case 'filled':
      return !empty;
    case 'empty':
      return empty;
    case 'option':
      return Array.isArray(value) ? value.includes(id) : value === id;
    case 'below':
      return isNumeric(value) && bound !== undefined && compare(value, bound) < 0;
    case 'above':
      return isNumeric(value) && bound !== undefined && compare(value, bound) > 0;
  }
}

/** The impact in words; undefined when the change meets nothing that is worth a word. */
export function impactText({ action, kind, target, question }: Difference, entries: number): string | undefined {
  const some = (one: string, many: string) => `${entries} ${entries === 1 ? one : many}`;
  if (question === undefined) return undefined;
  if (action === 'delete') {
    return kind === 'option'
      ? `removing option ${target.slice(target.indexOf(': ') + 2)} touches ${some('entry', 'entries')}`
      : `deleting attribute ${target} drops ${some('value', 'values')}`;
  }
  if (entries === 0) return undefined;
  switch (question.is) {
    case 'empty':
      return `${some('entry has', 'entries have')} no value`;
    case 'below':
      return `${some('value is', 'values are')} below it and ${entries === 1 ? 'stays' : 'stay'}`;
    case 'above':
      return `${some('value is', 'values are')} above it and ${entries === 1 ? 'stays' : 'stay'}`;
    default:
      return undefined;
  }
}
