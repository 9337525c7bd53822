import { readFileSync } from 'node:fs';
import { Failure } from '../core/errors.ts';

/** A parsed JSON file; undefined when there is none. */
export function readJson(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new Failure('usage', `the settings file ${file} cannot be read: ${code ?? message}`, { cause: error });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure('usage', `the settings file ${file} is not valid JSON: ${(error as Error).message}`, {
      hint: 'Mend it, or move it away and run `comem auth login` again',
      code: 'settings_file',
      cause: error,
    });
  }
}
