/** Runs what argv asks for. Throws; `main.ts` turns what is thrown into text and exit codes. */
import { version } from '../../package.json';
import type { Context, Runtime } from './context.ts';
import type { AnyCommand } from './define.ts';
import { Finished } from './finished.ts';
import { type Parsed, Route } from './route.ts';
import { print } from './runtime.ts';
import type { Tree } from './tree.ts';

/** Makes the context of a command when it is about to run. */
export type ContextMaker = (command: AnyCommand, parsed: Parsed) => Promise<Context & { close(): Promise<void> }>;

/**
 * @returns 0, or 2 when help was printed because words were missing
 * @throws what the command throws; usage for words and flags that do not exist
 */
export async function execute(
  argv: readonly string[],
  runtime: Runtime,
  tree: Tree,
  makeContext: ContextMaker,
): Promise<number> {
  const found = await new Route(argv, tree).find();
  if (found.kind === 'command') return run(found.command, found.parsed, makeContext);
  if (found.kind === 'version') {
    await print(runtime, 'stdout', `${version}\n`);
    return 0;
  }
  const { helpText } = await import('./help.ts');
  const isAnswer = found.isAsked || argv.length === 0;
  await print(runtime, isAnswer ? 'stdout' : 'stderr', await helpText(found, tree, runtime.terminal.columns));
  return isAnswer ? 0 : 2;
}

async function run(command: AnyCommand, parsed: Parsed, makeContext: ContextMaker): Promise<number> {
  const { limit, pageSize, raw } = parsed.globals;
  if (limit !== undefined || pageSize !== undefined || raw) {
    const { checkPagingFlags } = await import('./paging.ts');
    checkPagingFlags(command, parsed.globals);
  }
  const context = await makeContext(command, parsed);
  try {
    await command.run(context, { args: parsed.args, flags: parsed.flags });
  } catch (error) {
    if (!(error instanceof Finished)) throw error;
    return error.code;
  } finally {
    await context.close();
  }
  return 0;
}
