/**
 * What is closed after a test file. Helpers are loaded once for all files of a worker: an `afterAll` in one of them
 * would run after the first file and never again, while setup.ts runs for each.
 */
const endings: (() => void | Promise<void>)[] = [];

/** Runs `end` when the test file that runs now is done; the last that was registered runs first. */
export function afterFile(end: () => void | Promise<void>): void {
  endings.push(end);
}

export async function endFile(): Promise<void> {
  for (let end = endings.pop(); end; end = endings.pop()) await end();
}
