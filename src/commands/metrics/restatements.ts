import { defineCommand } from '../../cli/define.ts';
import { changeFlags } from '../changes/columns.ts';

export default defineCommand({
  path: 'metrics restatements',
  summary: 'List values that changed, as `changes metrics` does',
  operations: [],
  args: [],
  flags: changeFlags,
  examples: [{ run: 'comem -p demo metrics restatements --since 90d', says: 'what was restated' }],
  stdout: 'rows',
  mirrors: true,
  unlisted: true,
  manyCompanies: true,
  async run(ctx, { flags }) {
    const { showChanges } = await import('../changes/read.ts');
    const where = [...(flags.where ?? []), 'change = changed and kind = "value"'];
    await showChanges(ctx, ['metrics'], { ...flags, since: flags.since ?? '100y', where });
  },
});
