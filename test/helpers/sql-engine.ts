/** The SQL engine as a program for tests that run comem in their own process. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { bundle } from './bundle.ts';

let made: Promise<string> | undefined;

/** The path of the program; built once for each test file. */
export function sqlEngine(): Promise<string> {
  made ??= bundle(
    new URL('../../src/sql-engine.ts', import.meta.url),
    mkdtempSync(join(inject('runFolder'), 'engine-')),
  );
  return made;
}
