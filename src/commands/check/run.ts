import { listReads } from '../../cli/arguments.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import {
  baselineFlags,
  checkFileArgument,
  checkFileFlag,
  chosenFile,
  fileHelp,
  fileManual,
  reportFlags,
} from './flags.ts';

export default defineCommand({
  path: 'check',
  summary: 'Check lists, metrics and grants against a check file',
  description: [
    'Reads each list, series and grant set once, whatever the number of checks, and reports the result of each check. Exit 0: all passed; 1: a check failed, or had nothing to look at or to compare with; 2: the file is not valid; 3 to 6: data could not be read. A check that could not run never passes.',
    'With --baseline only new failures count. --update-baseline writes the file: the first time with every failure, later with the new counts and without new failures.',
    '`comem check init LIST` writes a first file; `comem check lint` reads one without asking the API.',
  ].join('\n\n'),
  file: fileHelp,
  manual: [
    'Several reports may be written, one of them to stdout. The default is table, and github under GitHub Actions. All findings are counted, and --max-findings of them are shown.',
    ...fileManual,
  ].join('\n\n'),
  operations: [...listReads, 'getMetricCatalog', 'getMetricSeries', 'getLiveMetrics', 'listGrants'],
  args: [checkFileArgument],
  flags: {
    ...checkFileFlag,
    only: flag.list('TAG', 'only checks with this tag; several: any of them'),
    ...reportFlags,
    ...baselineFlags,
  },
  examples: {
    'comem check': 'run comem.checks.yaml',
    'comem check pipeline.yaml --only nightly --report junit=out.xml': 'some checks, also for a CI server',
    'comem check --baseline known.json --fail-on warn': 'fail on warnings too, but only on new ones',
  },
  stdout: 'text',
  reportsFailures: true,
  async run(ctx, { args, flags }) {
    const { checkFile } = await import('./check.ts');
    await checkFile(ctx, chosenFile(args.FILE, flags), flags);
  },
});
