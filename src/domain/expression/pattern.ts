/** Regular expressions in linear time (RE2): none can hang the program. */
import { RE2JS } from 're2js';
import { mostPatternCharacters } from '../../core/limits.ts';

/** Compiles an expression, or says what is wrong with it. */
export function pattern(source: string): { test(text: string): boolean } | { wrong: string } {
  if (source.length > mostPatternCharacters) {
    return { wrong: `${source.length} characters of a pattern, and the limit is ${mostPatternCharacters}` };
  }
  try {
    const compiled = RE2JS.compile(source);
    return { test: (text) => compiled.matcher(text).find() };
  } catch (error) {
    return { wrong: (error as Error).message.replace(/^error parsing regexp: /, '') };
  }
}

/** SQL's `like` in any letter case: `%` is any text, `_` is one character. */
export function likePattern(text: string): string {
  const parts = [...text].map((character) =>
    character === '%' ? '.*' : character === '_' ? '.' : RE2JS.quote(character),
  );
  return `(?is)^${parts.join('')}$`;
}
