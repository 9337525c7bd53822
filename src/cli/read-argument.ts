/** Texts that arguments name: a file or stdin. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure, usage } from '../core/errors.ts';
import type { Runtime } from './context.ts';

/** The text of stdin. @throws usage on a terminal */
export async function readAll({ stdin, terminal }: Runtime): Promise<string> {
  if (terminal.stdinIsTTY) throw usage('stdin is a terminal, but a pipe or a file is needed', 'add `< FILE`');
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return utf8(Buffer.concat(chunks), 'stdin');
}

/** @throws usage for a file that cannot be read */
export async function readText({ cwd }: Pick<Runtime, 'cwd'>, name: string): Promise<string> {
  const file = resolve(cwd, name);
  try {
    return utf8(readFileSync(file), file);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'not found' : (code ?? message);
    throw new Failure('usage', `cannot read ${file}: ${why}`, { code: code === 'ENOENT' ? 'no_such_file' : 'usage' });
  }
}

/** UTF-8 text without its byte order mark; bytes that are not UTF-8 are refused, not replaced. */
function utf8(bytes: Buffer, from: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usage(`${from} is not UTF-8 text`);
  }
}
