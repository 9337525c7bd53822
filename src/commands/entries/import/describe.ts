/** A plan and its outcome in words. */

import { amount } from '../../../cli/words.ts';
import { shortened } from '../../../core/errors.ts';
import { isNumeric, plainDecimal } from '../../../core/json.ts';
import { type Attribute, optionLabel } from '../../../domain/entries/options.ts';
import type { OddCells } from '../../../domain/import/odd-cells.ts';
import type { ImportAction } from '../../../domain/import/plan.ts';
import type { RefusedRow } from './refuse.ts';
import type { StoredPlan } from './stored-plan.ts';

/** Changes that a plan shows one by one; `--plan-out` has all of them. */
const shown = 10;

/** What will be written, a line for each kind, and the first changes with what they replace. */
export function planLines(plan: StoredPlan, known: readonly Attribute[]): string[] {
  const { attributes, unchanged, skipped, source, list } = plan;
  const { counts, fields, cleared, first } = summary(plan.actions);
  const entries = (count: number) => amount(count, 'entry', 'entries');
  const lines = [
    `Plan for the list "${list.name ?? list.id}" from ${source.name}, ${amount(source.rows, 'row', 'rows')}:`,
  ];
  const add = (mark: string, count: number, text: string) => {
    if (count > 0) lines.push(`  ${mark} ${text}`);
  };
  for (const { name, attribute_type, config, odd } of attributes) {
    const options = config === undefined ? '' : ` of ${amount(config.options.length, 'option', 'options')}`;
    lines.push(`  + attribute "${name}", ${attribute_type}${options}${odd ? exception(name, odd, plan) : ''}`);
  }
  add('+', counts.create, `create ${entries(counts.create)}`);
  add('~', counts.update, `update ${entries(counts.update)}: ${changedFields(fields, cleared)}`);
  for (const action of first)
    lines.push(`      ${plan.source.place} ${action.line} "${action.title}": ${changes(action, known)}`);
  const more = counts.update - first.length;
  add(' ', more, `    and ${more} more; --plan-out FILE has them all`);
  add('-', counts.archive, `archive ${entries(counts.archive)} that the file lacks`);
  add('-', counts.delete, `delete ${entries(counts.delete)} that the file lacks`);
  add('=', unchanged, `leave ${entries(unchanged)} as it is`.replace(/(\d+ entries) as it is/, '$1 as they are'));
  add(
    ' ',
    skipped,
    `skip ${amount(skipped, 'row', 'rows')} (${plan.mode === 'insert' ? 'already in the list' : 'not in the list'})`,
  );
  const { refused = [] } = plan;
  add('!', refused.length, `leave out ${amount(refused.length, 'row', 'rows')} with errors:`);
  for (let index = 0; index < Math.min(refused.length, shown); index += 1) {
    const { line, column, reason } = refused.at(index) as RefusedRow;
    lines.push(`      ${source.place} ${line}${column === '' ? '' : `, column ${column}`}: ${reason}`);
  }
  add(' ', refused.length - shown, `    and ${refused.length - shown} more; --failed FILE has them all`);
  return lines;
}

/** The actions in numbers, and the first updates. */
function summary(actions: Iterable<ImportAction>) {
  const counts: Record<ImportAction['do'], number> = { create: 0, update: 0, archive: 0, delete: 0 };
  const fields = new Map<string, number>();
  const first: Update[] = [];
  let cleared = 0;
  for (const action of actions) {
    counts[action.do] += 1;
    if (action.do !== 'update') continue;
    if (first.length < shown) first.push(action);
    for (const [name, , value] of fieldsOf(action)) {
      fields.set(name, (fields.get(name) ?? 0) + 1);
      if (value === null) cleared += 1;
    }
  }
  return { counts, fields, cleared, first };
}

/** Why it is not a number or date. */
function exception(name: string, { type, count, line, cell, written }: OddCells, { source }: StoredPlan): string {
  const more = count > 1 ? ` and ${count - 1} more` : '';
  const but = count === 0 ? '' : ` but for ${source.place} ${line}, ${quoted(cell)}${more}`;
  if (written === undefined) return ` (${type}${but})`;
  return ` (${type}s such as ${quoted(written)}${but}: --type '${name}=${type}' reads them)`;
}

function quoted(text: string): string {
  return JSON.stringify(shortened(text));
}

/** What a row or entry is called when something happens to it. */
export function nameOf(action: ImportAction, plan: StoredPlan): string {
  return 'row' in action ? `${plan.source.place} ${action.line} "${action.title}"` : `"${action.title}" (${action.id})`;
}

type Update = Extract<ImportAction, { do: 'update' }>;

function fieldsOf({ body, before }: Update): [string, unknown, unknown][] {
  const { values = {}, ...fields } = body;
  const { values: old = {}, ...was } = before;
  return [
    ...Object.entries(fields).map(([name, value]): [string, unknown, unknown] => [name, Reflect.get(was, name), value]),
    ...Object.entries(values).map(([slug, value]): [string, unknown, unknown] => [slug, old[slug], value]),
  ];
}

function changedFields(fields: ReadonlyMap<string, number>, cleared: number): string {
  const named = [...fields].map(([name, count]) => `${name} (${count})`).join(', ');
  return cleared === 0 ? named : `${named}; clears ${amount(cleared, 'value', 'values')} (--empty keep leaves them)`;
}

function changes(action: Update, known: readonly Attribute[]): string {
  return fieldsOf(action)
    .map(([name, before, after]) => {
      const attribute = known.find(({ slug }) => slug === name);
      return `${name} ${short(before, attribute)} → ${short(after, attribute)}`;
    })
    .join(', ');
}

/** A value for people: options by their labels. */
function short(value: unknown, attribute: Attribute | undefined): string {
  if (value === undefined || value === null) return '(empty)';
  const label = (item: unknown) => (attribute && typeof item === 'string' ? optionLabel(attribute, item) : item);
  const shown = Array.isArray(value) ? value.map(label) : label(value);
  const text = isNumeric(shown) ? plainDecimal(shown) : JSON.stringify(shown);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
