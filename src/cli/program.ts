/** From argv to a command's run: routing, help, parsing. Throws; `main.ts` makes text and exit codes of what is thrown. */

import { usage } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import type { Context, Runtime } from './context.ts';
import type { AnyCommand, Flags } from './define.ts';
import { longName } from './define.ts';
import { Finished } from './finished.ts';
import { globalFlags } from './global-flags.ts';
import type { Parsed } from './parse.ts';
import { asksForHelp, type Route, route, unknownFlag, type WithoutCommand } from './route.ts';
import { print } from './runtime.ts';
import { commandsOf, type Tree } from './tree.ts';
import { unknownWordOf } from './unknown.ts';

export type ClosableContext = Context & { close(): Promise<void> };

/** Makes the context of a command when it is about to run. */
export type ContextMaker = (command: AnyCommand, parsed: Parsed) => Promise<ClosableContext>;

/**
 * Runs what argv asks for.
 * @returns 0, or 2 when help was printed because words were missing
 * @throws what the command throws; usage for words and flags that do not exist
 */
export async function execute(
  argv: readonly string[],
  runtime: Runtime,
  tree: Tree,
  makeContext: ContextMaker,
): Promise<number> {
  const found = await route(argv, tree);
  if (found.kind === 'root') return root(found, runtime, tree);
  if (found.kind === 'noun') return noun(found, runtime, tree);
  const help = async () => {
    const { commandHelp } = await import('./help.ts');
    await print(runtime, 'stdout', commandHelp(found.command, tree, runtime.terminal.columns));
    return 0;
  };
  // Asked before commander is loaded, which help does without.
  if (asksForHelp(found.rest, found.command.flags)) return help();
  const { parse } = await import('./parse.ts');
  const parsed = parse(found.command, found.rest);
  if (parsed === 'help') return help();
  const { limit, pageSize, raw } = parsed.globals;
  if (limit !== undefined || pageSize !== undefined || raw) {
    const { checkPagingFlags } = await import('./paging.ts');
    checkPagingFlags(found.command, parsed.globals);
  }
  const context = await makeContext(found.command, parsed);
  try {
    await found.command.run(context, { args: parsed.args, flags: parsed.flags });
  } catch (error) {
    if (!(error instanceof Finished)) throw error;
    return error.code;
  } finally {
    await context.close();
  }
  return 0;
}

async function root(found: Route & { kind: 'root' }, runtime: Runtime, tree: Tree): Promise<number> {
  const { unknown, rest } = found;
  if (unknown !== undefined) throw await unknownWordOf(found, tree);
  if (rest.includes('--version') || rest.includes('-V')) {
    const { version } = await import('../../package.json');
    await print(runtime, 'stdout', `${version}\n`);
    return 0;
  }
  const { rootHelp } = await import('./help.ts');
  const asked = rest.length === 0 || wantsHelp(rest);
  if (!asked) refuseUnknownFlags(found, []);
  await print(runtime, asked ? 'stdout' : 'stderr', rootHelp(tree));
  return asked ? 0 : 2;
}

async function noun(found: Route & { kind: 'noun' }, runtime: Runtime, tree: Tree): Promise<number> {
  const asked = wantsHelp(found.rest);
  if (found.unknown !== undefined && !asked) throw await unknownWordOf(found, tree);
  const commands = await commandsOf(tree, found.noun);
  if (!asked) refuseUnknownFlags(found, commands);
  const { nounHelp } = await import('./help.ts');
  const text = nounHelp(found.noun, commands, tree, runtime.terminal.columns, found.group);
  await print(runtime, asked ? 'stdout' : 'stderr', text);
  return asked ? 0 : 2;
}

function wantsHelp(rest: readonly string[]): boolean {
  const end = rest.indexOf('--');
  return (end < 0 ? rest : rest.slice(0, end)).some((token) => token === '-h' || token === '--help');
}

/** Without a verb, a flag that no verb knows is what is wrong, before the missing verb. */
function refuseUnknownFlags(found: WithoutCommand, commands: readonly AnyCommand[]): void {
  const flags = [globalFlags, ...commands.map((command): Flags => command.flags)];
  const wrong = unknownFlag(found.rest, flags);
  if (wrong === undefined) return;
  const place = found.kind === 'root' ? ['comem'] : ['comem', found.noun, found.group].filter(Boolean);
  const near = nearest(wrong, [...flags.flatMap((set) => Object.keys(set).map(longName)), '--help', '--version']);
  const hint = near ? `did you mean ${near}?` : `\`${place.join(' ')} --help\` says what there is`;
  throw usage(`\`${place.join(' ')}\` has no flag ${wrong}`, hint);
}
