/** Plans as files: what --plan-out writes for a review, and --plan executes. One format for all commands. */
import { withTurns } from '../core/concurrency.ts';
import { usage } from '../core/errors.ts';
import { parseJson, stringifyJson } from '../core/json.ts';
import { fileSink } from '../output/write/sinks.ts';
import type { Context } from './context.ts';
import { readText } from './input-files.ts';

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

/** Writes the file completely or not at all. */
export async function writePlanFile(
  { runtime }: Context,
  file: string,
  plan: PlanFile,
  text: Iterable<string> = [`${stringifyJson(plan, 1)}\n`],
): Promise<void> {
  const sink = await fileSink(file, runtime.cwd, '--plan-out');
  try {
    for await (const piece of withTurns(text, runtime.signal)) await sink.write(piece);
  } catch (error) {
    await sink.abort();
    throw error;
  }
  await sink.end();
}

/**
 * The plan that a file holds.
 * @param parse the plan of a JSON value, or undefined
 * @throws usage when the file is not such a plan, or was made for another API
 */
export async function readPlanFile<P extends PlanFile>(
  ctx: Context,
  file: string,
  parse: (value: unknown) => P | undefined,
  command: string,
): Promise<P> {
  const text = await readText(ctx.runtime, file, `--plan ${file}`);
  return soundPlan(ctx, file, planIn(text, parse), command);
}

/** The plan, if the file held one for this API. @throws usage */
export function soundPlan<P extends PlanFile>(
  { settings }: Context,
  file: string,
  plan: P | undefined,
  command: string,
): P {
  if (plan === undefined) {
    throw usage(`--plan ${file} is not a plan as \`${command} --plan-out\` wrote it`, 'make one with --plan-out');
  }
  const here = settings.baseUrl.value;
  if (plan.baseUrl !== here) throw usage(`--plan ${file} was made for ${plan.baseUrl}, and this is ${here}`);
  return plan;
}

export function planIn<P>(text: string, parse: (value: unknown) => P | undefined): P | undefined {
  try {
    return parse(parseJson(text));
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
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Record<string, unknown>;
  return fields.comem === kind && fields.version === 1 && typeof fields.baseUrl === 'string' && isSound(fields);
}
