/** One request and its answer on stdout: the resource, or under `--raw` the body exactly as received. */
import type { Input, Operation, Unwrapped } from '../contract/operation.ts';
import { usage } from '../core/errors.ts';
import type { Column } from '../output/column.ts';
import type { ValueOptions } from '../output/output.ts';
import type { Context } from './context.ts';

/** `--raw` of a read: sends the one request and prints its body. False when `--raw` was not given. */
export async function showRaw<O extends Operation>(ctx: Context, op: O, input: Input<O>): Promise<boolean> {
  if (!ctx.settings.raw) return false;
  const client = await ctx.client();
  const reply = await client.send(op, input);
  await ctx.out.bytes(reply.bytes);
  return true;
}

/**
 * Sends one write, prints the resource that it got back (under `--raw` its body as received), and gives it to the
 * caller: no `data` when the answer had no body, which is success like any 2xx; undefined when nothing was sent,
 * because the columns were asked for (`--fields help`).
 */
export async function writeAndShow<O extends Operation>(
  ctx: Context,
  op: O,
  input: Input<O>,
  columns: readonly Column<Unwrapped<O>>[],
  options?: ValueOptions<Unwrapped<O>>,
): Promise<{ data: Unwrapped<O> | undefined } | undefined> {
  if (!ctx.settings.raw && !(await ctx.out.check(columns))) return undefined;
  await ctx.prepare([{ op, input }]);
  const client = await ctx.client();
  const { data, bytes } = await client.send(op, input);
  if (ctx.settings.raw) await ctx.out.bytes(bytes);
  else if (data === undefined) ctx.out.note('Done; the server sent no resource back.');
  else await ctx.out.value(data, columns, options);
  return { data };
}

/** For commands whose result is not the body of one request. */
export function refuseRaw(ctx: Context, why: string): void {
  if (ctx.settings.raw) throw usage(`--raw does not go with this command: ${why}`);
}
