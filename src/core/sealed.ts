/**
 * Files in which comem keeps for itself how far a run came. A sum shows when such a file was cut off or changed: what it
 * says would otherwise leave out rows, or write them twice.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';

/** None of them is nearly as long. */
const longest = 64 * 1024 * 1024;

/** @param body JSON */
export function sealed(kind: string, body: string): string {
  return `${head(kind, body)}${body}}\n`;
}

/**
 * The JSON that the file was made of. Undefined: there is no file; null: it is another one, damaged or changed.
 * @throws the error of the system where it cannot be read
 */
export function readSealed(file: string, kind: string): string | undefined | null {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  // Reading a pipe would wait for somebody who writes.
  if (stats.isFIFO() || stats.size > longest) return null;
  const text = readFileSync(file, 'utf8').trimEnd();
  const body = text.slice(head(kind, '').length, -1);
  return text === sealed(kind, body).trimEnd() ? body : null;
}

function head(kind: string, body: string): string {
  const sum = createHash('sha256').update(`${kind}\n${body}`).digest('hex');
  return `{"comem":"${kind}","sum":"${sum}","data":`;
}
