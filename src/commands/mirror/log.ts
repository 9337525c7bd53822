import { defineCommand } from '../../cli/define.ts';
import { changeFlags } from '../changes/columns.ts';
import { syncOperations } from './read.ts';

export default defineCommand({
  path: 'mirror log',
  summary: 'Show changes of a list, as `changes` does',
  operations: syncOperations,
  flags: changeFlags,
  args: [{ name: 'LIST', summary: 'a list by slug, name or id; default: all changes', optional: true }],
  examples: [{ run: 'comem -p demo mirror log deal-pipeline --since 30d', says: 'one list' }],
  stdout: 'rows',
  mirrors: true,
  manyCompanies: true,
  unlisted: true,
  async run(ctx, { args: { LIST }, flags }) {
    const { showChanges } = await import('../changes/read.ts');
    await showChanges(ctx, LIST === undefined ? [] : ['entries', LIST], flags);
  },
});
