/** A place in a statement, and a failure that points at it. */
import { Failure } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';

/** The code of a failure whose `details.excerpt` shows the place in a statement. */
const excerptCode = 'sql';

/** As much of a line as an excerpt shows. */
const longest = 100;

interface Place {
  at: number;
  end: number;
}

/**
 * A usage failure that points at a place of the statement.
 * @param because follows the place in the message
 */
export function wrong(
  text: string,
  place: Place | undefined,
  message: string,
  hint?: string,
  because?: string,
): Failure {
  const reason = because === undefined ? '' : `: ${because}`;
  if (!place) return new Failure('usage', `${message}${reason}`, { hint, code: excerptCode });
  const before = text.slice(0, place.at).split('\n');
  const line = before.length;
  const begun = before.at(-1) ?? '';
  const written = text.split('\n')[line - 1] ?? '';
  // The place stays visible in a long line.
  const from = begun.length > longest - 20 ? begun.length - 40 : 0;
  const shown = written.slice(from, from + longest).replace(/[\t\r]/g, ' ');
  const width = Math.max(1, Math.min(place.end - place.at, written.length - begun.length, longest));
  const details = {
    line,
    column: [...begun].length + 1,
    excerpt: [shown, `${' '.repeat(begun.length - from)}${'^'.repeat(width)}`],
  };
  return new Failure('usage', `${message} at line ${line}, column ${details.column}${reason}`, {
    ...{ hint, details, code: excerptCode },
  });
}

/** The nearest of the names as a hint, or the names. */
export function didYouMean(name: string, names: readonly string[], otherwise: string): string {
  const folded = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  const same = names.find((each) => folded(each) === folded(name));
  const near = same ?? nearest(name, names);
  return near === undefined ? otherwise : `did you mean ${near}?`;
}
