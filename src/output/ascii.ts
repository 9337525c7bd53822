/** Whether the terminal's own settings allow no more than ASCII: it says that it is dumb, or its locale has another charset. */
export function asciiOnly(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env.TERM === 'dumb') return true;
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  return locale !== '' && !/utf-?8/i.test(locale);
}
