/** Prompts for arguments and flags that a command line lacks. */

import { usage } from '../core/errors.ts';
import { checkBody } from './arguments.ts';
import { type AnyCommand, type Argument, type Flag, flagValue, longName } from './define.ts';
import { refuseReadonly } from './guard.ts';
import type { ChoiceSearch } from './prompts.ts';
import { among, askText, choose, problemIn } from './prompts.ts';
import type { CommandRequest } from './route.ts';
import type { CommandContext, ContextParts } from './run-context.ts';
import { settle } from './settle.ts';

/** A missing argument or flag, and its prompt. */
interface Part {
  /** Its place in the command line that is completed. */
  set(value: unknown): void;
  says: string;
  picker: string | undefined;
  choices: readonly string[] | undefined;
  checkText(text: string): void;
}

/**
 * Asks for missing arguments and required flags. Without a terminal it throws `missing`.
 * Nothing is asked unless all of it can be.
 * @returns whether something was asked
 */
export async function askMissing(ctx: CommandContext, parts: ContextParts, request: CommandRequest): Promise<boolean> {
  const { command, parsed, missing } = request;
  const lackingArguments = missingArguments(command, parsed);
  const lacking = [...lackingArguments, ...missingFlags(command, parsed)];
  const canAsk = ctx.settings.input && lacking.every(({ picker, choices }) => picker !== undefined || choices);
  if (!canAsk || lacking.length === 0) {
    if (missing) throw missing;
    return false;
  }
  if (command.writes && !ctx.settings.dryRun) refuseReadonly(ctx);
  if (!ctx.isSettled()) await settle(ctx, parts);
  await ctx.openClock();
  const check = async () => command.check?.(ctx, { args: parsed.args, flags: parsed.flags });
  checkBody(parsed.flags);
  await check();
  const pickers = (await parts.tree.pickers?.())?.pickers ?? {};
  for (const [index, { set, says, picker = 'text', choices, checkText }] of lacking.entries()) {
    // The arguments say what the flags must fit, such as the attributes of a list.
    if (index > 0 && index === lackingArguments.length) await check();
    const message = `${says}:`;
    if (choices)
      set(await choose(ctx.runtime, { message, find: among(choices.map((value) => ({ value, name: value }))) }));
    else if (picker === 'text') {
      const validate = (text: string) =>
        text === '' ? 'A value is needed.' : (problemIn(() => checkText(text)) ?? true);
      set(await askText(ctx.runtime, { message, validate }));
    } else {
      const pick = pickers[picker];
      if (!pick) throw new Error(`no picker "${picker}"`);
      const picking = await pick(ctx, parsed.args);
      const value = await choose(ctx.runtime, await notEmpty(picking, request));
      set((await picking.written?.(value)) ?? value);
    }
  }
  return true;
}

function missingArguments(command: AnyCommand, { args, flags, globals }: CommandRequest['parsed']): Part[] {
  const values: Readonly<Record<string, unknown>> = { ...globals, ...flags };
  return (command.args as readonly Argument[]).flatMap(
    ({ name, summary, optional, variadic, picker, choices, instead }) => {
      if (args[name]?.length) return [];
      if (optional && (picker === undefined || instead?.some((key) => values[key] !== undefined))) return [];
      const set = (value: unknown) => {
        args[name] = (variadic ? [value] : value) as string | string[];
      };
      return [{ set, says: capital(summary), picker, choices, checkText() {} }];
    },
  );
}

function missingFlags(command: AnyCommand, { flags }: CommandRequest['parsed']): Part[] {
  return Object.entries<Flag>(command.flags).flatMap(([key, flag]) => {
    if (!flag.required || flags[key] !== undefined) return [];
    const set = (value: unknown) => {
      flags[key] = value;
    };
    const checkText = (text: string) => flagValue(longName(key), flag, text);
    const picker = flag.picker ?? (flag.kind === 'text' ? 'text' : undefined);
    return [{ set, says: capital(flag.summary), picker, choices: flag.choices, checkText }];
  });
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The first choices are read before the question, so that what goes wrong ends the command. */
async function notEmpty(
  choosing: ChoiceSearch<string>,
  { missing, command }: CommandRequest,
): Promise<ChoiceSearch<string>> {
  const first = await choosing.find('');
  if (first.length === 0) {
    throw usage(
      `${missing?.message ?? `\`comem ${command.path}\` needs an argument`}, and there is nothing to choose from`,
      missing?.hint,
    );
  }
  return { ...choosing, find: async (text) => (text === '' ? first : choosing.find(text)) };
}
