/** Plans as files: what --plan-out writes for a review, and --plan executes. One format for all commands. */
import { resolve } from 'node:path';
import { withTurns } from '../core/concurrency.ts';
import { decode } from '../core/decode.ts';
import { usage } from '../core/errors.ts';
import { isObject, parseJson, stringifyJson } from '../core/json.ts';
import type { GrowingRows } from '../core/row-store.ts';
import { linesOf } from '../core/tsv.ts';
import { fileSink } from '../output/write/sinks.ts';
import type { Context } from './context.ts';
import { filePieces } from './input-files.ts';

/** The fields of every plan; the command adds its own. */
export interface PlanFile {
  comem: 'import-plan' | 'grants-plan';
  version: 1;
  baseUrl: string | undefined;
}

/** Refuses files that cannot be written, before anything is sent. By the flag that names each. @throws usage */
export async function checkWritable({ runtime }: Context, files: Record<string, string | undefined>): Promise<void> {
  for (const [flag, file] of Object.entries(files)) {
    if (file !== undefined) await (await fileSink(file, runtime.cwd, flag)).abort();
  }
}

/** Writes the file completely or not at all. `lists` name the fields that hold rows. */
export async function writePlanFile(
  { runtime }: Context,
  file: string,
  plan: PlanFile,
  lists: readonly string[] = [],
): Promise<void> {
  const sink = await fileSink(file, runtime.cwd, '--plan-out');
  try {
    for await (const piece of withTurns(planText(plan, lists), runtime.signal)) await sink.write(piece);
  } catch (error) {
    await sink.abort();
    throw error;
  }
  await sink.end();
}

interface PlanFormat<P> {
  /** The stores of the rows of each list. */
  lists: Record<string, GrowingRows<unknown>>;
  /** The plan of a JSON value, or undefined. */
  parse(value: unknown): P | undefined;
  command: string;
}

/** @throws usage when the file is not a plan of the command, or was made for another API */
export function readPlanFile<P extends PlanFile>(
  { runtime, settings }: Context,
  file: string,
  { lists, parse, command }: PlanFormat<P>,
): P {
  const pieces = filePieces(resolve(runtime.cwd, file), `--plan ${file}`);
  try {
    const plan = parse(parsePlan(linesOf(decode(pieces.open(), file, 'utf-8'), file, '\n'), lists));
    if (plan === undefined) {
      throw usage(`--plan ${file} is not a plan as \`${command} --plan-out\` wrote it`, 'make one with --plan-out');
    }
    const here = settings.baseUrl.value;
    if (plan.baseUrl !== here) throw usage(`--plan ${file} was made for ${plan.baseUrl}, and this is ${here}`);
    return plan;
  } finally {
    pieces.close();
  }
}

/** The JSON of a plan, with a line for each row of its lists. */
export function* planText(plan: PlanFile, lists: readonly string[]): Generator<string> {
  const head = Object.fromEntries(Object.entries(plan).filter(([name]) => !lists.includes(name)));
  yield stringifyJson(head, 1).replace(/\n\}$/, '');
  for (const name of lists) {
    let before = `,\n "${name}": [`;
    for (const row of Reflect.get(plan, name) as Iterable<unknown>) {
      yield `${before}\n  ${stringifyJson(row)}`;
      before = ',';
    }
    yield before === ',' ? '\n ]' : `${before}]`;
  }
  yield '\n}\n';
}

/** Reads such lines up to the last one of the plan; undefined for another text. */
export function parsePlan(lines: Iterator<{ text: string }>, lists: Record<string, GrowingRows<unknown>>): unknown {
  let head = '';
  let rows: GrowingRows<unknown> | undefined;
  try {
    for (let next = lines.next(); !next.done; next = lines.next()) {
      const { text } = next.value;
      if (rows && !text.startsWith(' ]')) rows.push(parseJson(text.replace(/,$/, '')));
      else {
        head += text;
        rows = lists[/^ "(\w+)": \[$/.exec(text)?.[1] ?? ''];
        if (text === '}') break;
      }
    }
    const plan = parseJson(head) as Record<string, unknown>;
    // Another program may have reformatted the JSON.
    const read = Object.entries(lists).filter(([, rows]) => rows.length > 0);
    return { ...plan, ...Object.fromEntries(read) };
  } catch {
    return undefined;
  }
}

/** Whether a JSON value is a plan of the kind. `isSound` checks the fields that the kind adds. */
export function isPlan<P extends PlanFile>(
  value: unknown,
  kind: P['comem'],
  isSound: (fields: Record<string, unknown>) => boolean,
): value is P {
  if (!isObject(value)) return false;
  return value.comem === kind && value.version === 1 && typeof value.baseUrl === 'string' && isSound(value);
}
