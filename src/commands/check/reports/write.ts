/** Which reports a run writes, and where. */
import { appendFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { version } from '../../../../package.json';
import type { Context } from '../../../cli/context.ts';
import { usage } from '../../../core/errors.ts';
import { type Color, painter } from '../../../output/terminal-text.ts';
import { fileSink } from '../../../output/write/file-sink.ts';
import { githubReport, jsonReport, junitReport, sarifReport } from './ci.ts';
import type { Report, Verdict } from './report.ts';
import { markdownReport, tableReport } from './report.ts';

const formats = ['table', 'json', 'junit', 'github', 'sarif', 'md'] as const;
type Format = (typeof formats)[number];

export interface Target {
  format: Format;
  /** Undefined: stdout. */
  file?: string;
}

/**
 * The reports that are asked for: `--report junit=out.xml --report github`; without any, `-o json` and `-o md` are
 * that report, GitHub's under its Actions, else the table.
 * @throws Failure usage for an unknown report, or two on stdout
 */
export function reportTargets(ctx: Context, asked: readonly string[] | undefined): Target[] {
  if (!asked || asked.length === 0) {
    const { value } = ctx.settings.output;
    if (value === 'json' || value === 'md') return [{ format: value }];
    return [{ format: ctx.runtime.env.GITHUB_ACTIONS === 'true' ? 'github' : 'table' }];
  }
  const targets = asked.map((text): Target => {
    const [name = '', ...rest] = text.split('=');
    const format = formats.find((known) => known === name);
    if (!format) throw usage(`--report: ${name || 'an empty text'} is not one of ${formats.join(', ')}`);
    return rest.length > 0 ? { format, file: rest.join('=') } : { format };
  });
  const onStdout = targets.filter(({ file }) => file === undefined);
  if (onStdout.length > 1) {
    throw usage(
      `--report: ${onStdout.map(({ format }) => format).join(' and ')} would both go to stdout`,
      'give one of them a file: --report junit=out.xml',
    );
  }
  return targets;
}

export async function writeReports(ctx: Context, targets: readonly Target[], report: Report): Promise<void> {
  for (const { format, file } of targets) {
    const text = await rendered(ctx, format, report, file === undefined);
    if (file === undefined) await ctx.out.text(text);
    else await writeComplete(ctx, file, text);
  }
  const summary = ctx.runtime.env.GITHUB_STEP_SUMMARY;
  const onGithub = targets.some(({ format }) => format === 'github');
  if (onGithub && summary) await appendFile(resolve(ctx.runtime.cwd, summary), markdownReport(report));
}

export async function writeComplete(ctx: Context, file: string, text: string): Promise<void> {
  const sink = await fileSink(file, ctx.runtime.cwd);
  try {
    await sink.write(text);
  } catch (error) {
    await sink.abort();
    throw error;
  }
  await sink.end();
}

async function rendered(ctx: Context, format: Format, report: Report, toStdout: boolean): Promise<string> {
  switch (format) {
    case 'json':
      return jsonReport(report);
    case 'junit':
      return junitReport(report);
    case 'github':
      return githubReport(report);
    case 'sarif':
      return sarifReport(report, version);
    case 'md':
      return markdownReport(report);
    case 'table': {
      const { stdoutIsTTY, columns, color } = ctx.runtime.terminal;
      const onScreen = toStdout && stdoutIsTTY && ctx.settings.out === undefined;
      const width = onScreen && ctx.settings.truncate ? columns : undefined;
      const paint = await painter(toStdout && color.stdout && ctx.settings.out === undefined);
      return tableReport(report, { width, paint: (verdict, text) => paint(colors[verdict], text) });
    }
  }
}

const colors: Record<Verdict, Color> = { pass: 'green', fail: 'red', error: 'red', warn: 'yellow', known: 'cyan' };
