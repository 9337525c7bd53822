/** Programs that a test needs beside Node, and how a test that lacks one says so. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'vitest';

/** Whether a program is in the PATH. */
export function has(tool: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, tool), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * `test` where something optional is there, else a skipped test whose name ends with what it needs. The reporter lists
 * these names at the end of a run (skips.ts).
 * @param needs what is missing and how to get it: `jq: apt-get install jq`
 */
export function testIf(there: boolean, needs: string) {
  return (name: string, body: () => void | Promise<void>, timeout?: number) =>
    there ? test(name, body, timeout) : test.skip(`${name} (needs ${needs})`, body);
}

/** `test` where a program is installed. */
export function testWith(tool: string, debianPackage = tool) {
  return testIf(has(tool), `${tool}: apt-get install ${debianPackage}`);
}
