/** `accepted(stage, "Won", "Lost")`: the only values of a column, each read by the type of the column. */
import { compare } from '../../core/decimal.ts';
import { usage } from '../../core/errors.ts';
import { isNumeric } from '../../core/json.ts';
import { OptionValue } from '../entries/scope.ts';
import { findOptions, noOption, numberOf } from '../expression/literals.ts';
import { isNumber } from '../expression/parser.ts';
import { compareSpans, parseTime } from '../expression/time.ts';
import type { Column, Option } from '../expression/typed.ts';
import { type Call, refuseTail } from './grammar.ts';
import { column, isEmpty, keyOf, shown, type TestMaker, typed } from './list-test.ts';
import { Findings } from './model.ts';

interface Allowed {
  has(value: unknown): boolean;
  /** Options that the column does not have: a row may hold one that was removed. */
  unknown: readonly string[];
}

export const accepted: TestMaker = (call, facts, names) => {
  refuseTail(call);
  const name = column(call.args[0]?.text, call, names);
  const values = call.args.slice(1).map((argument) => argument.text);
  if (values.length === 0) throw usage(`"${call.text}": accepted needs the values after the column`);
  const found = typed(name, facts, names);
  const allowed = allowedValues(values, name, found, call);
  const findings = new Findings(facts.cap);
  const seen = new Set<string>();
  return {
    row(entry, lookup) {
      const value = lookup(name);
      if (isEmpty(value)) return;
      const items = Array.isArray(value) ? value : [value];
      if (allowed.unknown.length > 0) for (const item of items) seen.add(keyOf(item));
      const bad = items.find((item) => !allowed.has(item));
      if (bad !== undefined) findings.add(entry.id, entry.title, `${name} = ${shown(bad)}`);
    },
    finish(total) {
      const typo = allowed.unknown.find((text) => !seen.has(keyOf(text)));
      if (typo !== undefined) throw unknownOption(call, name, found?.options ?? [], typo);
      return findings.outcome(`${total - findings.count} of ${total} rows`, `one of ${values.join(', ')}`);
    },
  };
};

function unknownOption(call: Call, name: string, options: readonly Option[], text: string): Error {
  const { says, hint } = noOption(name, options, text);
  return usage(`"${call.text}": ${says}`, hint);
}

/** @throws Failure usage for a value that the column cannot have */
function allowedValues(values: readonly string[], name: string, found: Column<never> | undefined, call: Call): Allowed {
  const wrong = (text: string, type: string) => usage(`"${call.text}": ${name} is ${type}, and ${text} is not`);
  switch (found?.type) {
    case 'number': {
      const numbers = values.map((text) => {
        const digits = text.replace(/^-/, '');
        if (!isNumber(digits)) throw wrong(text, 'a number');
        return numberOf(digits, text.startsWith('-'));
      });
      return { has: (value) => isNumeric(value) && numbers.some((one) => compare(one, value) === 0), unknown: [] };
    }
    case 'boolean': {
      const other = values.find((text) => text !== 'true' && text !== 'false');
      if (other !== undefined) throw wrong(other, 'true or false');
      return { has: (value) => values.includes(String(value)), unknown: [] };
    }
    case 'date':
    case 'time': {
      const spans = values.map((text) => {
        const span = parseTime(text);
        if (!span) throw wrong(text, 'a date');
        return span;
      });
      const has = (value: unknown): boolean => {
        const time = parseTime(String(value));
        return time !== undefined && spans.some((one) => compareSpans('=', time, one));
      };
      return { has, unknown: [] };
    }
    case 'option':
    case 'options':
      return found.options === undefined ? texts(values) : options(values, found.options);
    default:
      return texts(values);
  }
}

function texts(values: readonly string[]): Allowed {
  const keys = new Set(values.map(keyOf));
  const numbers = values.filter(isNumber).map((text) => numberOf(text));
  const has = (value: unknown): boolean =>
    keys.has(keyOf(value)) || (isNumeric(value) && numbers.some((one) => compare(one, value) === 0));
  return { has, unknown: [] };
}

function options(values: readonly string[], known: readonly Option[]): Allowed {
  const ids = new Set<string>();
  const unknown: string[] = [];
  for (const text of values) {
    const found = findOptions(known, text);
    for (const { id } of found) ids.add(id);
    if (found.length === 0) unknown.push(text);
  }
  const removed = new Set(unknown.map(keyOf));
  const has = (value: unknown): boolean =>
    (value instanceof OptionValue && ids.has(value.id)) || removed.has(keyOf(value));
  return { has, unknown };
}
