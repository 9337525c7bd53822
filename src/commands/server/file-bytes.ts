/** The bytes of a file as they come, for files that need not fit into memory. */
import { createReadStream } from 'node:fs';
import { Failure } from '../../core/errors.ts';

/** @throws usage for a file that cannot be read */
export async function* fileBytes(file: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(file)) yield chunk as Buffer;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'not found' : (code ?? message);
    throw new Failure('usage', `cannot read ${file}: ${why}`, { code: code === 'ENOENT' ? 'no_such_file' : 'usage' });
  }
}
