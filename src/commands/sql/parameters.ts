/** Values of `:name` in a statement. */
import { pairs } from '../../cli/arguments.ts';
import { usage } from '../../core/errors.ts';
import { isNumeric, numeric } from '../../core/json.ts';
import { didYouMean, wrong } from '../../domain/sql/place.ts';
import type { Statement } from '../../domain/sql/statement.ts';
import type { WireValue } from '../../domain/sql/wire.ts';
import { machineCell } from '../../output/cells.ts';
import { sqlNumber } from './columns.ts';

export type Parameters = ReadonlyMap<string, WireValue>;

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** `name=VALUE`: a number, true, false and null by their look, else text; `name:=JSON`: as JSON says. */
export function parametersOf(written: readonly string[] | undefined): Parameters {
  const found = new Map<string, WireValue>();
  for (const one of pairs('--param', written)) {
    const name = one.key.replace(/^[:@$]/, '');
    if (found.has(name)) throw usage(`--param ${name} is given twice`, 'give each parameter once');
    found.set(name, 'text' in one ? typed(one.text) : fromJson(one.json));
  }
  return found;
}

function typed(text: string): WireValue {
  if (text === 'null') return null;
  if (text === 'true' || text === 'false') return text === 'true' ? 1 : 0;
  return number.test(text) ? sqlNumber(numeric(text)) : text;
}

/** A list or an object is JSON text, for json_each. */
function fromJson(json: unknown): WireValue {
  if (typeof json === 'boolean') return json ? 1 : 0;
  if (isNumeric(json)) return sqlNumber(json);
  return typeof json === 'string' || json === null ? json : machineCell(json as object);
}

/** @throws usage for a parameter without a value, and a value that the statement does not use */
export function valuesFor({ text, parameters }: Statement, given: Parameters): Record<string, WireValue> {
  for (const [name, token] of parameters) {
    if (given.has(name)) continue;
    throw wrong(text, token, `the parameter "${token.text}" has no value`, `add --param ${name}=VALUE`);
  }
  const unused = [...given.keys()].find((name) => !parameters.has(name));
  if (unused !== undefined) {
    const names = [...parameters.keys()];
    const otherwise = names.length > 0 ? `it has: ${names.join(', ')}` : 'write :name in it where the value belongs';
    throw usage(`the statement has no parameter "${unused}"`, didYouMean(unused, names, otherwise));
  }
  return Object.fromEntries(given);
}
