/** Printing other than rows: a resource, a raw body, a document, a named file. */
import { extname } from 'node:path';
import type { Input, Operation, Unwrapped } from '../contract/operation.ts';
import { usage } from '../core/errors.ts';
import { stringifyJson } from '../core/json.ts';
import type { Format } from '../core/output-formats.ts';
import type { Column } from '../output/column.ts';
import { chooseFormat, isJsonFormat } from '../output/formats/choose.ts';
import type { ValueOptions } from '../output/output.ts';
import type { Context } from './context.ts';

/** `--raw` of a read: sends the one request and prints its body. False when `--raw` was not given. */
export async function showRaw<O extends Operation>(ctx: Context, op: O, input: Input<O>): Promise<boolean> {
  if (!ctx.settings.raw) return false;
  const client = await ctx.client();
  const reply = await client.send(op, input, { asReceived: true });
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
  options?: ValueOptions<Unwrapped<O>> & { question?: string | undefined },
): Promise<{ data: Unwrapped<O> | undefined } | undefined> {
  if (!(await ctx.out.check(ctx.settings.raw ? undefined : columns))) return undefined;
  await ctx.prepare([{ op, input }], options?.question);
  const client = await ctx.client();
  const { data, bytes } = await client.send(op, input);
  if (ctx.settings.raw) await ctx.out.bytes(bytes);
  else await ctx.out.value(data, columns, options);
  return { data };
}

/** For commands whose result is not the body of one request. */
export function refuseRaw(ctx: Context, why: string): void {
  if (ctx.settings.raw) throw usage(`--raw cannot be used with this command: ${why}`);
}

/**
 * Prints a whole document as YAML or JSON: by `-o`, else by the extension of `--out`, else the default of the command.
 * Other formats have no rows to show.
 */
export async function printDocument(ctx: Context, value: unknown, otherwise: 'json' | 'yaml'): Promise<void> {
  if (documentFormat(ctx, otherwise) === 'json') return ctx.out.text(`${stringifyJson(value, 2)}\n`);
  const { writeYaml } = await import('../core/yaml.ts');
  return ctx.out.text(writeYaml(value));
}

/** @throws usage for a format that holds rows only */
export function documentFormat<F extends Format = 'json' | 'yaml'>(
  ctx: Context,
  otherwise: F | 'json' | 'yaml',
  more?: F,
): F | 'json' | 'yaml' {
  const { output, out, jq } = ctx.settings;
  if (jq !== undefined) return 'json';
  const formats = ['json', 'yaml', more] as const;
  const extension = out === undefined ? '' : extname(out).slice(1).replace('yml', 'yaml');
  const requested = output.origin === 'profile' ? undefined : output.value;
  const format = formats.find((format) => format === (requested ?? extension));
  if (format === undefined && requested !== undefined) {
    throw usage(`-o ${requested} cannot hold a complete document`, 'use -o yaml or -o json');
  }
  return format ?? otherwise;
}

/** The format that rows will take. @throws usage for one that they cannot take */
export function formatOf({ settings: { out, output }, runtime }: Pick<Context, 'settings' | 'runtime'>): Format {
  return chooseFormat(output.value, runtime.terminal.stdoutIsTTY, out !== undefined && out !== '-');
}

/** Whether rows have columns that are settled before the first one. */
export function hasColumns(ctx: Pick<Context, 'settings' | 'runtime'>): boolean {
  return ctx.settings.jq === undefined && !isJsonFormat(formatOf(ctx));
}

/** The fact of a page about its time: when it was created, or the time whose state it shows. */
export function timeFact({ past, runtime }: Pick<Context, 'past' | 'runtime'>): string {
  return `${past ? 'as of' : 'created'} ${runtime.now().toISOString().slice(0, 10)}`;
}
