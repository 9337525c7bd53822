/** Prints everything but rows: resources, raw bodies, documents, pictures. */
import { extname } from 'node:path';
import { aliasesById, cachedName, cachedNames } from '../config/companies.ts';
import type { Input, Operation, Unwrapped } from '../contract/operation.ts';
import { Failure, usage } from '../core/errors.ts';
import { stringifyJson } from '../core/json.ts';
import type { Format } from '../core/output-formats.ts';
import type { Panel } from '../output/chart/panel.ts';
import type { ChartType } from '../output/chart/svg.ts';
import type { Column } from '../output/column.ts';
import { chooseFormat, isJsonFormat } from '../output/formats/choose.ts';
import type { ValueOptions } from '../output/output.ts';
import { asciiOnly, type Color, cleanLine, isAccessible, painter } from '../output/terminal-text.ts';
import type { Context } from './context.ts';
import { type CompanyPart, officialName } from './each-company.ts';

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
 * because `--fields help` lists the columns.
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
  const sentAt = ctx.now().toISOString();
  const { data, bytes } = await client.send(op, input).catch(async (failure: unknown) => {
    const { lookUpOnlyWrite } = await import('./bulk.ts');
    const data = ctx.settings.raw ? undefined : await lookUpOnlyWrite(ctx, { op, input }, { failure, sentAt });
    if (data === undefined) throw failure;
    ctx.out.note('The response did not show the write, but the API does: it was carried out.');
    return { data: data as Unwrapped<O>, bytes: undefined };
  });
  if (bytes !== undefined && ctx.settings.raw) await ctx.out.bytes(bytes);
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

type PictureKind = 'text' | 'svg' | 'png' | 'html' | 'rows';

/** Whether `--out` names a picture or a page. */
export function namesPicture({ settings }: Context): boolean {
  return /\.(svg|png|html?)$/i.test(settings.out ?? '');
}

/** The format of a picture, from `-o` and the extension of `--out`. Formats of rows carry the data instead. */
export function pictureKind({ settings }: Context): PictureKind {
  const { output, out, fields } = settings;
  const extension = /\.(svg|png|html?)$/i.exec(out ?? '')?.[1]?.toLowerCase();
  const format = output.value === undefined || output.value === 'table' ? undefined : output.value;
  if (format !== undefined && (extension === undefined || output.origin === 'flag')) return 'rows';
  if (fields !== undefined) throw usage('--fields picks columns of rows, and this command draws', 'add -o csv');
  if (extension !== undefined) return extension === 'svg' || extension === 'png' ? extension : 'html';
  return 'text';
}

const colors: readonly Color[] = ['cyan', 'yellow', 'green', 'magenta', 'blue', 'red', 'gray'];

/** Prints panels one below the other: drawn, or in words where the terminal is to be accessible. */
export async function drawPanels(ctx: Context, panels: readonly Panel[], type: ChartType): Promise<void> {
  const { drawBars, drawLines, panelInWords } = await import('../output/chart/terminal.ts');
  const { terminal, env } = ctx.runtime;
  const color = terminal.color.stdout && ctx.settings.out === undefined;
  const paint = await painter(color);
  const rules = {
    width: Math.max(24, terminal.columns - 1),
    height: panels.length > 2 ? 8 : 12,
    ascii: asciiOnly(env),
    color,
    paint: (series: number, text: string) => paint(colors[series % colors.length] ?? 'bold', text),
  };
  const draw = type === 'bar' ? drawBars : drawLines;
  const linesOf = (panel: Panel) => (isAccessible(env) ? panelInWords(panel) : draw(panel, rules));
  await ctx.out.text(`${panels.map((panel) => linesOf(panel).join('\n')).join('\n\n')}\n`);
}

/** Writes a picture to a file. */
export async function writePicture(ctx: Context, kind: 'svg' | 'png', svg: string): Promise<void> {
  if (kind === 'svg') return ctx.out.text(`${svg}\n`);
  const { lettersWithoutFont, pngOf } = await import('../output/chart/png.ts');
  const missing = lettersWithoutFont(svg);
  if (missing.length > 0) {
    ctx.out.warn(
      `the font of PNG files has no ${missing.slice(0, 3).join(' ')}, left out of the picture: .svg has them`,
    );
  }
  await ctx.out.bytes(await pngOf(svg));
}

/**
 * The name of the one company that a picture is of. `known`: without a request, and its alias first, as tables say it;
 * `ask`: its own name, for readers who do not know the alias.
 */
export async function companyTitle(
  ctx: Context,
  { parts }: { parts: readonly CompanyPart<unknown>[] },
  source: 'known' | 'ask',
): Promise<string | undefined> {
  const id = parts.length === 1 ? (parts[0]?.who?.companyId ?? ctx.company()) : undefined;
  if (id === undefined) return undefined;
  const { aliases, baseUrl } = ctx.settings;
  const alias = aliasesById(aliases).get(id);
  if (source === 'known') return cleanName(alias ?? cachedName(id, cachedNames(ctx.folders, baseUrl.value)));
  return cleanName((await requestedName(ctx, id)) ?? alias);
}

const cleanName = (name: string | undefined): string | undefined => (name === undefined ? undefined : cleanLine(name));

/** A title is not worth a failure. */
async function requestedName(ctx: Context, id: string): Promise<string | undefined> {
  try {
    return await officialName(ctx, id);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
