import { defineCommand } from '../../cli/define.ts';
import { changeFlags } from '../changes/columns.ts';

export default defineCommand({
  path: 'metrics diff',
  summary: 'Compare two exports, as `changes metrics` does',
  operations: [],
  args: [
    { name: 'A', summary: 'the earlier export; - is stdin', names: 'file' },
    { name: 'B', summary: 'the later export; - is stdin', names: 'file' },
  ],
  flags: changeFlags,
  examples: [{ run: 'comem metrics diff march.csv april.csv --exit-code', says: 'what was restated in April' }],
  stdout: 'rows',
  unlisted: true,
  async run(ctx, { args: { A, B }, flags }) {
    const { showChanges } = await import('../changes/read.ts');
    await showChanges(ctx, ['metrics'], { ...flags, between: [A, B] });
  },
});
