/** Which database a `server` command works on. */
import { join, resolve } from 'node:path';
import { embeddedFolder, isEmbedded } from '../../config/base-url.ts';
import type { Store } from '../../server/store/store.ts';
import type { Context } from '../context.ts';
import { flag } from '../define.ts';

export const databaseFlags = {
  dataDir: flag.text(
    'DIR',
    'folder of the database; default: comem/ in the XDG data folder, or that of an embedded profile',
  ),
};

/** `--data-dir`, else the folder of a base URL `embedded:…` (so that `-p demo` means the demo's), else the data folder. */
export function dataDirOf(ctx: Context, dataDir: string | undefined): string {
  if (dataDir !== undefined) return resolve(ctx.runtime.cwd, dataDir);
  const { value: baseUrl } = ctx.settings.baseUrl;
  if (baseUrl === undefined || !isEmbedded(baseUrl)) return ctx.folders.data;
  const folder = embeddedFolder(baseUrl);
  return folder === undefined ? join(ctx.folders.data, 'demo') : resolve(ctx.runtime.cwd, folder);
}

/** Opens the database, hands it over, and closes it whatever happens. */
export async function withStore<T>(
  ctx: Context,
  dataDir: string | undefined,
  work: (store: Store, folder: string) => Promise<T>,
): Promise<T> {
  const { openStore } = await import('../../server/store/store.ts');
  const folder = dataDirOf(ctx, dataDir);
  const store = await openStore({ dataDir: folder });
  try {
    return await work(store, folder);
  } finally {
    await store.close();
  }
}
