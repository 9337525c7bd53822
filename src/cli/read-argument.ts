/** Texts that arguments name: a file or stdin. */
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { Failure, usage } from '../core/errors.ts';
import { mostTextBytes } from '../core/limits.ts';
import type { Runtime } from './context.ts';

/** The text of stdin. @throws usage on a terminal, and for more than can be read at once */
export async function readAll({ stdin, terminal }: Runtime): Promise<string> {
  if (terminal.stdinIsTTY) throw usage('stdin is a terminal, but a pipe or a file is needed', 'add `< FILE`');
  return utf8(await gathered(stdin, 'stdin'), 'stdin');
}

/** @throws usage for a file that cannot be read, or has more than can be read at once */
export async function readText({ cwd }: Pick<Runtime, 'cwd'>, name: string): Promise<string> {
  const file = resolve(cwd, name);
  try {
    return utf8(await gathered(createReadStream(file), file), file);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'not found' : (code ?? message);
    throw new Failure('usage', `cannot read ${file}: ${why}`, { code: code === 'ENOENT' ? 'no_such_file' : 'usage' });
  }
}

/** A device or a pipe has no end that its size would tell. */
async function gathered(stream: AsyncIterable<string | Uint8Array>, name: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > mostTextBytes) throw tooLong(name, size);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

export function tooLong(name: string, size: number): Failure {
  return usage(`${name} has ${size} bytes or more, and the limit for a text that is read at once is ${mostTextBytes}`);
}

/** UTF-8 text without its byte order mark; bytes that are not UTF-8 are refused, not replaced. */
function utf8(bytes: Buffer, from: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usage(`${from} is not UTF-8 text`);
  }
}
