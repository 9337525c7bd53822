/** Formats of charts, bridges and funnels, and the names in their titles. */

import { aliasesById, keptName, keptNames } from '../config/companies.ts';
import { Failure, usage } from '../core/errors.ts';
import { cleanLine } from '../output/terminal-text.ts';
import type { Context } from './context.ts';
import type { CompanyPart } from './each-company.ts';
import { ownName } from './each-company.ts';

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

/** A picture of its own as a file. */
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
 * `ask`: as the company calls itself, for those who do not know the alias.
 */
export async function companyTitle(
  ctx: Context,
  { parts }: { parts: readonly CompanyPart<unknown>[] },
  how: 'known' | 'ask',
): Promise<string | undefined> {
  const id = parts.length === 1 ? (parts[0]?.who?.companyId ?? ctx.company()) : undefined;
  if (id === undefined) return undefined;
  const { aliases, baseUrl } = ctx.settings;
  const alias = aliasesById(aliases).get(id);
  if (how === 'known') return cleaned(alias ?? keptName(id, keptNames(ctx.folders, baseUrl.value)));
  return cleaned((await askedName(ctx, id)) ?? alias);
}

const cleaned = (name: string | undefined): string | undefined => (name === undefined ? undefined : cleanLine(name));

/** A title is not worth a failure. */
async function askedName(ctx: Context, id: string): Promise<string | undefined> {
  try {
    return await ownName(ctx, id);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
