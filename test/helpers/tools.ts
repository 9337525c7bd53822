/** Programs that a test needs beside Node. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'vitest';

/** Whether a program stands in the PATH. */
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

/** `test`, or a skip whose name says which Debian package is missing; `.ci/run` installs them all. */
export function testWith(tool: string, debianPackage = tool) {
  return (name: string, body: () => void | Promise<void>) =>
    has(tool) ? test(name, body) : test.skip(`${name} (needs the Debian package ${debianPackage})`, body);
}
