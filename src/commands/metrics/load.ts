import { pairs } from '../../cli/arguments.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { versions } from '../../contract/metrics.ts';

export default defineCommand({
  path: 'metrics load',
  summary: 'Load metric values from a CSV file into a database of your own',
  description:
    'Loads into the database of the profile, which `comem init` makes. The API itself takes no metric values.\n\n' +
    'A wide file has the dates in its first column and one column for each metric; a long one has the columns period, ' +
    'metric and value. Dates are written 2006-01-01, 2006-01, 2006-Q1, 2006 or Jan 1 2006. What `comem metrics series ' +
    '-o csv` wrote is read, too.\n\n' +
    'The plan is shown on stderr first. A blank cell leaves a stored value as it is, and loading the same file twice ' +
    'changes nothing.',
  args: [{ name: 'FILE', summary: 'the file, or - for stdin' }],
  flags: {
    versions: flag.text('VERSION', 'the version of the values; default actual', {
      choices: versions,
      also: { 'as-version': 'VALUE' },
    }),
    map: flag.list('OLD=NEW', 'rename a column, such as date=period', { also: { rename: 'VALUE' } }),
  },
  examples: {
    'comem -p my-co metrics load us-employment.csv --dry-run': 'only shows the plan',
    'comem -p my-co metrics load us-employment.csv --yes': 'loads without asking',
    'comem -p my-co metrics load plan.csv --versions budget --yes': 'a budget',
  },
  writes: true,
  confirms: 'before it writes',
  isLiveOnly: true,
  async run(ctx, { args: { FILE: file }, flags: { versions: name, map: rename } }) {
    const { loadPoints } = await import('./load-points.ts');
    const names = rename && pairs('--map', rename).map(({ key, ...pair }) => [key, 'text' in pair ? pair.text : '']);
    await loadPoints(ctx, file, {
      version: versions.find((version) => version === name),
      rename: names && Object.fromEntries(names),
    });
  },
});
