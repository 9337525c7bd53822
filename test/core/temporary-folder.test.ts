/** Folders of processes that were killed are removed by the next one; those of others stay. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../src/core/files.ts';

it('removes what processes that are gone have left', () => {
  const above = mkdtempSync(join(tmpdir(), 'comem-above-'));
  try {
    const host = encodeURIComponent(hostname());
    // No process has this number: it is above what systems give.
    const gone = 2 ** 22 + 12345;
    const others = [
      `comem-serve-${host}-${process.ppid}-abcdef`,
      `comem-serve-elsewhere-${gone}-abcdef`,
      `comem-tour-${host}-${gone}-abcdef`,
      `comem-serve-${host}-notes`,
    ];
    for (const name of [...others, `comem-serve-${host}-${gone}-abcdef`]) {
      mkdirSync(join(above, name));
      writeFileSync(join(above, name, 'comem.db'), 'x');
    }
    const first = temporaryFolder('serve', above);
    const second = temporaryFolder('serve', above);
    expect(readdirSync(above).sort()).toEqual([...others, basename(first), basename(second)].sort());
  } finally {
    rmSync(above, { recursive: true });
  }
});
