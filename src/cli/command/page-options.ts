/** `--limit` and `--page-size` for an operation that pages. */
import type { PageOptions } from '../../client/client.ts';
import type { Operation } from '../../contract/operation.ts';
import { property } from '../../contract/schema.ts';
import { usage } from '../../core/errors.ts';
import type { Context } from '../context.ts';

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
