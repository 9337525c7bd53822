/** What `--limit` and `--page-size` mean to a command. A flag that would change nothing is refused. */
import type { PageOptions } from '../client/client.ts';
import type { GlobalFlags } from '../config/global-flags.ts';
import type { Operation } from '../contract/operation.ts';
import { property } from '../contract/schema.ts';
import { usage } from '../core/errors.ts';
import type { Context } from './context.ts';
import type { AnyCommand } from './define.ts';

/** The page options of the command line; a usage failure when `--page-size` is not what the operation allows. */
export function pageOptions(ctx: Context, op: Operation): Pick<PageOptions, 'limit' | 'pageSize'> {
  const { limit, pageSize } = ctx.settings;
  if (pageSize !== undefined) requirePageSize(op, pageSize);
  return { limit, pageSize };
}

/** @throws usage when the operation does not take pages of this size */
export function requirePageSize(op: Operation, size: number): void {
  const { minimum = 1, maximum = Number.POSITIVE_INFINITY } = property(op.query, 'limit') ?? {};
  if (size >= minimum && size <= maximum) return;
  throw usage(`--page-size must be ${minimum} to ${maximum} here, got ${size}`, '--limit has no upper bound');
}

/** The API's own `limit` for the one request of `--raw`: the page size, else as much of `--limit` as one page takes. */
export function rawLimit(ctx: Context, op: Operation): number | undefined {
  const { limit, pageSize } = pageOptions(ctx, op);
  if (pageSize !== undefined || limit === undefined) return pageSize;
  return Math.max(1, Math.min(limit, property(op.query, 'limit')?.maximum ?? limit));
}

/** @throws usage naming the flag, and what to do instead */
export async function checkPagingFlags(command: AnyCommand, flags: GlobalFlags): Promise<void> {
  // The request of `comem api` is known only after its arguments are read.
  if (command.path === 'api') return;
  const paged = await pagedOperations(command);
  if (flags.pageSize !== undefined) checkPageSize(command, flags.pageSize, paged);
  if (flags.limit !== undefined) checkLimit(command, flags, paged);
  if (flags.raw && flags.failEmpty)
    throw usage('--raw prints the body as it was received and cannot go with --fail-empty');
}

function checkPageSize(command: AnyCommand, size: number, paged: readonly Operation[]): void {
  if (paged.length === 0) {
    throw usage(
      `--page-size is for commands that read page by page (entries, series, published), and \`comem ${command.path}\` does not`,
      'omit it; --limit N stops after N rows',
    );
  }
  for (const op of paged) requirePageSize(op, size);
}

function checkLimit(command: AnyCommand, flags: GlobalFlags, paged: readonly Operation[]): void {
  if (flags.raw && paged.length === 0) {
    throw usage('--raw prints the one body as it was received, so --limit cannot cut it', 'omit one of them');
  }
  if (command.writes && command.stdout === 'rows') {
    throw usage(
      '--limit would cut what is printed and not what is written',
      `select the rows first: a list command with --limit N -o id, piped into \`comem ${command.path} … -\``,
    );
  }
}

async function pagedOperations(command: AnyCommand): Promise<Operation[]> {
  const { operations } = await import('../contract/index.ts');
  return command.operations.map((id): Operation => operations[id]).filter(({ paging }) => paging !== 'none');
}
