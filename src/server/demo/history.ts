/** The demo's mirror: two years of weekly syncs whose newest state is the demo's data. Made when it is first asked for. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { demo } from '../../core/demo.ts';
import type { Transport } from '../../core/wire.ts';
import { mirrorFile } from '../mirror/database.ts';
import { schemaVersion } from '../mirror/tables.ts';

/**
 * @param data the folder of the program's data
 * @param open the demo's API with fresh data
 * @returns the folder of the mirror, another one for each schema
 */
export async function ensureDemoMirror(
  data: string,
  open: () => Promise<{ transport: Transport; close(): Promise<void> }>,
): Promise<string> {
  const folder = join(data, `demo-mirror-${schemaVersion}`);
  if (existsSync(join(folder, mirrorFile))) return folder;
  const [{ demoNow }, { demoPast }, { writePast }] = await Promise.all([
    import('./past/now.ts'),
    import('./past/past.ts'),
    import('./past/write.ts'),
  ]);
  const { transport, close } = await open();
  const now = await demoNow(transport).finally(close);
  mkdirSync(data, { recursive: true });
  // Whole or not at all: another process may make it at the same time, and this one may be killed.
  const made = `${folder}.${randomBytes(4).toString('hex')}`;
  try {
    await writePast(made, demoPast(now, demo.now));
    renameSync(made, folder);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (!existsSync(join(folder, mirrorFile))) throw error;
  }
  return folder;
}
