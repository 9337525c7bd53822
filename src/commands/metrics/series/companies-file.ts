/** The companies that a file names. Loaded where `--companies` is given. */
import type { Context } from '../../../cli/context.ts';
import { usage } from '../../../core/errors.ts';

/**
 * The companies of `--companies FILE`, after those of `-c`, each once. A line is an id or an
 * alias, with a comment after a comma, a tab or `#`.
 */
export async function listedCompanies(ctx: Context, file: string): Promise<string[]> {
  const text = await ctx.readArgument(file === '-' ? '-' : `@${file}`);
  const { value, origin } = ctx.settings.companies;
  const lines = text.split(/\r?\n/).flatMap((line, index) => {
    const word = line.replace(/[,\t#].*/s, '').trim();
    return word === '' ? [] : [{ word, number: index + 1 }];
  });
  const headed = lines[0] !== undefined && /^company(_?id)?$/i.test(lines[0].word);
  const found = lines
    .slice(headed ? 1 : 0)
    .map(({ word, number }) => ctx.companyOf(word, `--companies ${file}, line ${number}`));
  if (found.length === 0) throw usage(`--companies ${file} names no company`, 'write one id or alias on each line');
  return [...new Set([...(origin === 'flag' ? value : []), ...found])];
}
