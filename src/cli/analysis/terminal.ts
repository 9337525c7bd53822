/** What the terminal can draw. */
import type { Context } from '../context.ts';

/** Whether drawings must do with ASCII: asked for, a terminal that says it is dumb, or a locale of another charset. */
export function asciiOnly({ runtime: { env } }: Context, asked: boolean | undefined): boolean {
  if (asked !== undefined) return asked;
  if (env.TERM === 'dumb') return true;
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  return locale !== '' && !/utf-?8/i.test(locale);
}
