/** `mirror sync`: reads part after part into one transaction, and reports what each had. */
import type { Context } from '../../../cli/context.ts';
import { refuseRaw } from '../../../cli/show.ts';
import { timeText } from '../../../cli/words.ts';
import { urlOf } from '../../../core/addresses.ts';
import { usage } from '../../../core/errors.ts';
import type { SyncWriter } from '../../../mirror/writer.ts';
import { beginSync } from '../../../mirror/writer.ts';
import { syncLists } from './lists.ts';
import { syncMetrics, syncPublished } from './metrics.ts';
import { narrowing, partColumns, Sync, type SyncFlags, scopeOf } from './parts.ts';

/** Percent: less takes a tenth more time, and no less memory. */
const heapGrowth = 150;

export async function syncMirror(ctx: Context, folder: string, flags: SyncFlags): Promise<void> {
  refuseRaw(ctx, 'it reads many responses');
  const scope = scopeOf(ctx, flags);
  if (!(await ctx.out.check(partColumns))) return;
  // Pages are written soon after they are read, so the heap can stay small.
  ctx.runtime.keepHeapSmall?.(heapGrowth);
  const writer = await beginSync(folder, addressOf(ctx), ctx.now().toISOString());
  const sync = new Sync(ctx, writer, scope);
  let ended: Awaited<ReturnType<SyncWriter['commit']>>;
  try {
    await requireSameCompany(ctx, writer, scope.companies);
    await readParts(sync);
    ctx.out.progress('writing');
    const unread = sync.unread.length > 0 ? { unread: sync.unread } : {};
    ended = await writer.commit(ctx.now(), { ...narrowing(scope), ...unread }, sync.sum);
  } catch (error) {
    throw await writer.abandon(error);
  } finally {
    ctx.out.progress(undefined);
  }
  await ctx.out.rows(sync.rows, partColumns, { counts: ['part', 'parts'] });
  const { added, changed, deleted } = sync.sum;
  ctx.out.note(
    `Sync ${writer.number}, seen ${timeText(ended.seenAt)}: ${added} added, ${changed} changed, ${deleted} deleted.`,
  );
  if (ended.untidy !== undefined) {
    ctx.out.warn(
      `the sync is written, but not moved from mirror.db-wal into mirror.db (${ended.untidy}): keep both files; the next sync moves it`,
    );
  }
  const verdict = sync.verdict();
  if (verdict) throw verdict;
}

/** Reads all parts in scope. @throws when nothing could be read */
export async function readParts(sync: Sync): Promise<void> {
  for (const company of sync.scope.companies) {
    await nameCompany(sync, company);
    await syncLists(sync, company);
    await syncMetrics(sync, company);
  }
  await syncPublished(sync);
  sync.requireSome();
}

/** A company belongs to the mirror from its first sync, whatever could be read of it. */
async function nameCompany({ ctx, writer }: Sync, id: string): Promise<void> {
  if ((await writer.current('company', id)).length > 0) return;
  const name = ctx.companyName(id);
  await writer.resources('company', id, [{ id, body: { id, ...(name !== undefined && { name }) } }]);
}

/** The API's address for comparing: without credentials and final slash. */
export function addressOf({ settings }: Context): string {
  const { value = '' } = settings.baseUrl;
  const url = urlOf(value);
  return url && /^https?:/.test(value) ? url.origin + url.pathname.replace(/\/+$/, '') : value;
}

/** A sync may add companies to a mirror, but not replace them. */
async function requireSameCompany(ctx: Context, writer: SyncWriter, companies: readonly string[]): Promise<void> {
  const held = [...new Set((await writer.current('company')).map(({ id }) => id))];
  if (held.length === 0 || companies.some((id) => held.includes(id))) return;
  const named = (ids: readonly string[]) => ids.map((id) => ctx.companyName(id) ?? id).join(', ');
  throw usage(
    `the mirror is of company ${named(held)}, not of ${named(companies)}`,
    `name both to add one: ${[...held, ...companies].map((id) => `-c ${ctx.companyName(id) ?? id}`).join(' ')}; or name another folder`,
  );
}
