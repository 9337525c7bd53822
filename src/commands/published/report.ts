import { defineCommand, flag } from '../../cli/define.ts';
import { refuseRaw } from '../../cli/show.ts';
import { usage } from '../../core/errors.ts';
import { labelsOf, publishedFlags, publisher, readPublished, warnAbsent } from './read.ts';

export default defineCommand({
  path: 'published report',
  summary: 'Write what a company published to you as an HTML page',
  description:
    'One self-contained page with key figures, a chart for each metric, the table of all published periods with version and sent date, and a style for phones and paper. The page loads nothing. Without --out it goes to stdout, but not to a terminal.',
  operations: ['getPublishedMetrics', 'getMetricCatalog'],
  args: [publisher],
  flags: {
    ...publishedFlags,
    type: flag.text('line|bar', 'kind of plot; default line', { choices: ['line', 'bar'] }),
    title: flag.text('TEXT', 'title of the page'),
  },
  examples: {
    'comem -p demo published report lumen --out report.html': 'a page to read or print',
    'comem -p demo published report lumen --from 2025-10 --out report.html': 'only the newest periods',
    'comem -p demo published report lumen --type bar --title Lumen --out report.html':
      'bars, under a title of your own',
  },
  stdout: 'text',
  files: ['html', 'htm'],
  async run(ctx, { args, flags }) {
    const { publishedPage, refuseFormats } = await import('./page.ts');
    refuseRaw(ctx, 'its result is a page');
    if (ctx.settings.out === undefined && ctx.runtime.terminal.stdoutIsTTY) {
      throw usage('a page cannot be shown on a terminal', 'write it to a file: --out report.html');
    }
    refuseFormats(ctx);
    if (args.COMPANY?.startsWith('@')) {
      throw usage(
        `a report is of one company, and "${args.COMPANY}" is a group`,
        `\`comem -c ${args.COMPANY} metrics board --out report.html\` writes one page of all`,
      );
    }
    const published = await readPublished(ctx, args.COMPANY, flags);
    if (!published) return;
    warnAbsent(ctx, [{ who: undefined, value: published }]);
    const type = flags.type === 'bar' ? 'bar' : 'line';
    const labels = await labelsOf(ctx);
    await ctx.out.text(publishedPage(ctx, published, { type, title: flags.title, labels }));
  },
});
