import { defineCommand } from '../../cli/define.ts';
import { changeFlags } from '../changes/columns.ts';
import { syncOperations } from './read.ts';

export default defineCommand({
  path: 'mirror diff',
  summary: 'Compare two times, as `changes --between` does',
  operations: syncOperations,
  flags: changeFlags,
  args: [
    { name: 'A', summary: 'the earlier time, such as 2026-01-31, 2026-Q1 or 30d' },
    { name: 'B', summary: 'the later time; default: the newest sync', optional: true },
  ],
  examples: [{ run: 'comem -p demo mirror diff 2026-02 2026-03', says: 'what changed in March' }],
  stdout: 'rows',
  mirrors: true,
  manyCompanies: true,
  unlisted: true,
  async run(ctx, { args: { A, B = 'now' }, flags }) {
    const { showChanges } = await import('../changes/read.ts');
    await showChanges(ctx, [], { ...flags, between: [A, B] });
  },
});
