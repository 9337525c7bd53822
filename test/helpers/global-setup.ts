/** A folder that all test files of a run share, and the end of the database cluster in it. */
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { clusterIn, dropCluster } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    runFolder: string;
  }
}

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'comem-run-'));
  // The cluster's system user must get through it.
  chmodSync(folder, 0o755);
  project.provide('runFolder', folder);
  return () => {
    const cluster = join(folder, 'postgres');
    if (existsSync(cluster)) dropCluster(clusterIn(cluster));
    rmSync(folder, { recursive: true, force: true });
  };
}
