import { targets } from '../../cli/arguments.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { usage } from '../../core/errors.ts';
import { baselineFlags, reportFlags } from './flags.ts';

export default defineCommand({
  path: 'check entries',
  summary: 'Check a list with expectations on the command line',
  description:
    'The expectations are those of a check file: count >= 10, required(email), unique(email), accepted(stage, "Won", "Lost"), pattern(symbol, "^[A-Z.]+$"), valid(), type(founded, year), range(value, 0, 100), length(name, 1, 80), not_future(closed), updated_at within 7d, sum(value) by stage >= 0, references(company, "portfolio", title), no_archived, if stage = "Won" then value > 0, or any condition on a row.',
  operations: ['listLists', 'getList', 'listEntries'],
  args: [targets.list],
  flags: {
    expect: flag.list('EXPECTATION', 'what must hold', { required: true }),
    where: flag.text('CONDITION', 'check only these rows: stage = "Won" and value > 100'),
    allowEmpty: flag.boolean('checks may find no row to look at'),
    ...baselineFlags,
    ...reportFlags,
  },
  examples: {
    "comem -p demo check entries deal-pipeline --expect 'count >= 10'": 'a count',
    "comem -p demo check entries deal-pipeline --expect 'unique(title)' --expect 'valid()'":
      'no title twice, every value of its type',
    "comem -p demo check entries hiring --expect 'required(stage)' --report junit=out.xml":
      'also a report for a CI server',
  },
  stdout: 'text',
  reportsFailures: true,
  async run(ctx, { args, flags }) {
    const { inlineSection } = await import('./check-file.ts');
    const { check } = await import('./check.ts');
    if (!flags.expect || flags.expect.length === 0) throw usage('--expect is missing', "write --expect 'count >= 10'");
    await check(ctx, `check entries ${args.LIST}`, inlineSection(args.LIST, flags.expect, flags), flags);
  },
});
