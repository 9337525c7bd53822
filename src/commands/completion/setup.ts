/** Installs completion in a shell, and reads the names that it offers. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { completionScript } from '../../cli/completion/scripts.ts';
import type { Context } from '../../cli/context.ts';
import { getList, listLists } from '../../contract/list-operations.ts';
import { getMetricCatalog, listGrants } from '../../contract/metric-operations.ts';
import { Failure, isFailedPart, usage } from '../../core/errors.ts';

/** PowerShell has no fixed place for its profile. */
export const installable = ['bash', 'zsh', 'fish'] as const;
type Installable = (typeof installable)[number];

interface Setup {
  /** The script. */
  script: string;
  /** The file that loads it; fish finds the script by itself. */
  start?: { file: string; lines: string[] };
}

/** @throws usage where SHELL is not given and the environment has none of them */
export function shellOf(ctx: Context, given: string | undefined): Installable {
  const name = given ?? basename(ctx.runtime.env.SHELL ?? '');
  const known = installable.find((shell) => shell === name);
  if (known) return known;
  throw usage('SHELL is missing, and $SHELL is not bash, zsh or fish', 'name one: `comem completion install bash`');
}

function setupOf({ runtime: { env }, folders }: Context, shell: Installable): Setup {
  const home = env.HOME || homedir();
  if (shell === 'fish') {
    return { script: join(env.XDG_CONFIG_HOME || join(home, '.config'), 'fish/completions/comem.fish') };
  }
  const script = join(folders.data, `completion.${shell}`);
  const load = `[ -f ${quoted(script)} ] && . ${quoted(script)}`;
  if (shell === 'bash') return { script, start: { file: join(home, '.bashrc'), lines: [load] } };
  const compinit = '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }';
  return { script, start: { file: join(env.ZDOTDIR || home, '.zshrc'), lines: [compinit, load] } };
}

/** Writes the script and the lines that load it; what is there already stays. Says each change. */
export function install(ctx: Context, shell: Installable): void {
  const { script, start } = setupOf(ctx, shell);
  write(ctx, script, completionScript(shell), 'Wrote');
  if (start) write(ctx, start.file, withBlock(textOf(start.file), start.lines), 'Added the lines that load it to');
  ctx.out.note('Open a new shell to use it.');
}

export function uninstall(ctx: Context, shell: Installable): void {
  const { script, start } = setupOf(ctx, shell);
  if (existsSync(script)) {
    rmSync(script);
    ctx.out.note(`Removed ${script}.`);
  } else ctx.out.note(`${script} does not exist: nothing to remove.`);
  if (start) write(ctx, start.file, withBlock(textOf(start.file), []), 'Removed the lines that load it from');
}

function write(ctx: Context, file: string, text: string, says: string): void {
  if (textOf(file) === text) {
    ctx.out.note(`${file} needs no change.`);
    return;
  }
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  } catch (error) {
    throw new Failure('usage', `cannot write ${file}: ${(error as Error).message}`, { cause: error });
  }
  ctx.out.note(`${says} ${file}.`);
}

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

const [first, last] = ['# >>> comem completion >>>', '# <<< comem completion <<<'];

/** The text with these lines between its marks, or without marks for none. */
function withBlock(text: string, lines: readonly string[]): string {
  const from = text.indexOf(first);
  const to = text.indexOf(last, from);
  const rest = from < 0 || to < 0 ? text : text.slice(0, from) + text.slice(to + last.length).replace(/^\n/, '');
  if (lines.length === 0) return rest;
  const before = rest === '' || rest.endsWith('\n') ? rest : `${rest}\n`;
  return `${before}${[first, ...lines, last].join('\n')}\n`;
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}

export async function readNames(ctx: Context): Promise<void> {
  const companyId = ctx.requireCompany();
  const client = await ctx.client();
  const lists = (await tried(ctx, 'lists', () => client.call(listLists, { query: { companyId } }))) ?? [];
  for (const { id, name = '' } of lists.slice(0, mostLists)) {
    ctx.out.progress(`Reading ${name}`);
    if (id !== undefined) await tried(ctx, `list "${name}"`, () => client.call(getList, { params: { listId: id } }));
  }
  ctx.out.progress(undefined);
  const catalog = await tried(ctx, 'metrics', () => client.call(getMetricCatalog, {}));
  const grants = await tried(ctx, 'grants', () => client.call(listGrants));
  const [metrics, granted] = [catalog?.definitions.length ?? 0, grants?.length ?? 0];
  ctx.out.note(`Completion knows ${lists.length} lists, ${metrics} metrics and ${granted} grants.`);
}

/** Lists whose attributes are read, one request each. */
const mostLists = 200;

/** A credential may be enough for some of them. */
async function tried<T>(ctx: Context, what: string, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!isFailedPart(error)) throw error;
    ctx.out.warn(`cannot read ${what}: ${error.message}`);
    return undefined;
  }
}
