import { openEmbedded } from '../../src/server/embedded.ts';

/** Fills a folder with the demo data, for an address `embedded:DIR`. */
export async function fillWithDemo(folder: string): Promise<string> {
  await (await openEmbedded({ dataDir: folder, seed: 'demo' })).close();
  return folder;
}
