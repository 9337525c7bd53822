/** The commands that `changes` replaced: they work, and no help lists them. */
import type { Context } from '../../cli/context.ts';
import { defineCommand, type FlagValues } from '../../cli/define.ts';
import { syncOperations } from '../mirror/read.ts';
import { changeFlags } from './columns.ts';

async function show(ctx: Context, words: readonly string[], flags: FlagValues<typeof changeFlags>): Promise<void> {
  const { showChanges } = await import('./read.ts');
  await showChanges(ctx, words, flags);
}

export const metricsDiff = defineCommand({
  path: 'metrics diff',
  summary: 'Compare two exports, as `changes metrics` does',
  args: [
    { name: 'A', summary: 'the earlier export; - is stdin', completionKind: 'file' },
    { name: 'B', summary: 'the later export; - is stdin', completionKind: 'file' },
  ],
  flags: changeFlags,
  examples: { 'comem metrics diff march.csv april.csv --exit-code': 'what was restated in April' },
  unlisted: '`comem changes metrics --between A B`',
  async run(ctx, { args: { A, B }, flags }) {
    await show(ctx, ['metrics'], { ...flags, between: [A, B] });
  },
});

export const metricsRestatements = defineCommand({
  path: 'metrics restatements',
  summary: 'List values that changed, as `changes metrics` does',
  flags: changeFlags,
  examples: { 'comem -p demo metrics restatements --since 90d': 'what was restated' },
  mirrors: true,
  unlisted: '`comem changes metrics`',
  manyCompanies: true,
  async run(ctx, { flags }) {
    const where = [...(flags.where ?? []), 'change = changed and kind = "value"'];
    await show(ctx, ['metrics'], { ...flags, since: flags.since ?? '100y', where });
  },
});

export const mirrorDiff = defineCommand({
  path: 'mirror diff',
  summary: 'Compare two times, as `changes --between` does',
  operations: syncOperations,
  flags: changeFlags,
  args: [
    { name: 'A', summary: 'the earlier time, such as 2026-01-31, 2026-Q1 or 30d' },
    { name: 'B', summary: 'the later time; default: the newest sync', optional: true },
  ],
  examples: { 'comem -p demo mirror diff 2026-02 2026-03': 'what changed in March' },
  mirrors: true,
  manyCompanies: true,
  unlisted: '`comem changes --between A B`',
  async run(ctx, { args: { A, B = 'now' }, flags }) {
    await show(ctx, [], { ...flags, between: [A, B] });
  },
});

export const mirrorLog = defineCommand({
  path: 'mirror log',
  summary: 'Show changes of a list, as `changes` does',
  operations: syncOperations,
  flags: changeFlags,
  args: [{ name: 'LIST', summary: 'a list by slug, name or id; default: all changes', optional: true }],
  examples: { 'comem -p demo mirror log deal-pipeline --since 30d': 'one list' },
  mirrors: true,
  manyCompanies: true,
  unlisted: '`comem changes`',
  async run(ctx, { args: { LIST }, flags }) {
    await show(ctx, LIST === undefined ? [] : ['entries', LIST], flags);
  },
});
