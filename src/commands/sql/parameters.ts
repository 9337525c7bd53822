/** Values of `:name` in a statement. */
import { pairs } from '../../cli/arguments.ts';
import { usage } from '../../core/errors.ts';
import { isNumeric, numeric } from '../../core/json.ts';
import { nearest } from '../../core/nearest.ts';
import type { SqlValue } from '../../domain/sql/wire.ts';
import type { Words } from '../../domain/sql/words.ts';
import { machineCell } from '../../output/values.ts';
import { sqlNumber } from './columns.ts';

export type Parameters = ReadonlyMap<string, SqlValue>;

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** `name=VALUE`: a number, true, false and null by their look, else text; `name:=JSON`: as JSON says. */
export function parametersOf(written: readonly string[] | undefined): Parameters {
  const values = new Map<string, SqlValue>();
  for (const pair of pairs('--param', written)) {
    const name = pair.key.replace(/^[:@$]/, '');
    if (values.has(name)) throw usage(`--param ${name} is given twice`, 'give each parameter once');
    values.set(name, 'text' in pair ? typed(pair.text) : fromJson(pair.json));
  }
  return values;
}

function typed(text: string): SqlValue {
  if (text === 'null') return null;
  if (text === 'true' || text === 'false') return text === 'true' ? 1 : 0;
  return number.test(text) ? sqlNumber(numeric(text)) : text;
}

/** A list or an object is JSON text, for json_each. */
function fromJson(json: unknown): SqlValue {
  if (typeof json === 'boolean') return json ? 1 : 0;
  if (isNumeric(json)) return sqlNumber(json);
  return typeof json === 'string' || json === null ? json : machineCell(json as object);
}

/** @throws usage for a parameter without a value, and a value that the statement does not use */
export function valuesFor({ parameters }: Words, values: Parameters): Record<string, SqlValue> {
  for (const name of parameters) {
    if (!values.has(name)) throw usage(`the parameter ":${name}" has no value`, `add --param ${name}=VALUE`);
  }
  const unused = [...values.keys()].find((name) => !parameters.has(name));
  if (unused !== undefined) {
    const names = [...parameters];
    const near = nearest(unused, names);
    const otherwise = names.length > 0 ? `it has: ${names.join(', ')}` : 'write :name in it where the value belongs';
    throw usage(`the statement has no parameter "${unused}"`, near === undefined ? otherwise : `did you mean ${near}?`);
  }
  return Object.fromEntries(values);
}
