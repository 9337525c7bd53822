/** Companies of a file, for commands that read many (`--companies FILE`). */

import { companyOf } from '../../../cli/arguments.ts';
import type { Context } from '../../../cli/context.ts';
import { usage } from '../../../core/errors.ts';

/**
 * The companies of the file, after those of `-c`, each once; undefined without a file. A line is an id or an alias;
 * what follows a comma, a tab or `#` is for people.
 */
export async function listedCompanies(ctx: Context, file: string | undefined): Promise<string[] | undefined> {
  if (file === undefined) return undefined;
  const text = await ctx.readArgument(file === '-' ? '-' : `@${file}`);
  const { value, origin } = ctx.settings.companies;
  const lines = text.split(/\r?\n/).flatMap((line, index) => {
    const word = (line.split(/[,\t#]/)[0] ?? '').trim();
    return word === '' ? [] : [{ word, number: index + 1 }];
  });
  const headed = /^company(_?id)?$/i.test(lines[0]?.word ?? '');
  const found = lines
    .slice(headed ? 1 : 0)
    .map(({ word, number }) => companyOf(ctx, word, `--companies ${file}, line ${number}`));
  if (found.length === 0) throw usage(`--companies ${file} names no company`, 'write one id or alias on each line');
  return [...new Set([...(origin === 'flag' ? value : []), ...found])];
}
