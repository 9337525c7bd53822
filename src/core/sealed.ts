/**
 * Progress files with a checksum. The sum shows when a file was cut off or changed: what it
 * says would otherwise leave out rows, or write them twice.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';

/** Progress files are far shorter. */
const longest = 64 * 1024 * 1024;

/** @param body JSON */
export function sealed(kind: string, body: string): string {
  return `${head(kind, body)}${body}}\n`;
}

/**
 * The JSON of the file; undefined without a file, null for one that is damaged, changed or of another kind.
 * @throws the system's error when it cannot be read
 */
export function readSealed(file: string, kind: string): string | undefined | null {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  // Reading a pipe would wait for a writer.
  if (stats.isFIFO() || stats.size > longest) return null;
  const text = readFileSync(file, 'utf8').trimEnd();
  const body = text.slice(head(kind, '').length, -1);
  return text === sealed(kind, body).trimEnd() ? body : null;
}

function head(kind: string, body: string): string {
  const sum = createHash('sha256').update(`${kind}\n${body}`).digest('hex');
  return `{"comem":"${kind}","sum":"${sum}","data":`;
}
