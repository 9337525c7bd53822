/** Copies of a database with the demo data: loading it takes twenty times as long. */
import { copyFileSync, mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { openEmbedded } from '../../src/server/embedded.ts';

let loaded: Promise<string> | undefined;

/** Fills a folder with the demo data, for an address `embedded:DIR`. */
export async function fillWithDemo(folder: string): Promise<string> {
  loaded ??= loadDemo();
  const file = await loaded;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  copyFileSync(file, join(folder, 'comem.db'));
  return folder;
}

async function loadDemo(): Promise<string> {
  const dataDir = mkdtempSync(join(inject('runFolder'), 'demo-'));
  await (await openEmbedded({ dataDir, seed: 'demo' })).close();
  return join(dataDir, 'comem.db');
}
