import { defineCommand } from '../../cli/define.ts';
import changes from '../changes/changes.ts';

export default defineCommand({
  path: 'mirror log',
  summary: 'Show changes of a list, as `changes` does',
  operations: changes.operations,
  flags: changes.flags,
  args: [{ name: 'LIST', summary: 'a list by slug, name or id; default: all changes', optional: true }],
  examples: [{ run: 'comem -p demo mirror log deal-pipeline --since 30d', says: 'one list' }],
  stdout: 'rows',
  mirrors: true,
  manyCompanies: true,
  unlisted: true,
  async run(ctx, { args: { LIST }, flags }) {
    const { showChanges } = await import('../changes/show.ts');
    await showChanges(ctx, LIST === undefined ? [] : ['entries', LIST], flags);
  },
});
