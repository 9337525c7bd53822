/** Command lines in a home of their own, without the address, company and clock of the demo. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type RunOptions, type RunResult, run } from './run.ts';

interface OwnHome {
  /** The folder, which is empty before each test. */
  path(): string;
  comem(argv: readonly string[], options?: RunOptions): Promise<RunResult>;
}

export function ownHome(): OwnHome {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'comem-home-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));
  const env = { COMEM_BASE_URL: undefined, COMEM_COMPANY_ID: undefined, COMEM_NOW: undefined };
  return {
    path: () => home,
    comem: (argv, options = {}) =>
      run(argv, { home, cwd: home, network: true, ...options, env: { ...env, ...options.env } }),
  };
}
