import { bodyFieldFlags, bodyOf, targets } from '../../cli/arguments.ts';
import { defineCommand } from '../../cli/define.ts';
import { writeAndShow } from '../../cli/show.ts';
import { stepEntry } from '../../contract/entry-operations.ts';
import { Failure } from '../../core/errors.ts';
import { stepColumns } from '../lists/columns.ts';
import { resolveEntry, resolveList } from '../lists/read.ts';
import { checkChoice, choiceFlags, choosesMany, refusedStep, stepMany } from './bulk.ts';
export default defineCommand({
  path: 'entries step',
  summary: 'Queue the next loop step of an entry',
  description: [
    'Prints the step result. Exit 0 when a step was queued or can be taken, exit 1 with the reason on stderr when it was refused. Uses the API key; names instead of ids are looked up with the session.',
    'With flags that choose entries, several ENTRYs, or ids on stdin as -, it prints id, title, outcome (queued, failed) and error of each.',
  ].join('\n\n'),
  operations: ['listLists', 'getList', 'listEntries', 'stepEntry'],
  args: [targets.list, targets.someEntries],
  flags: { ...choiceFlags, ...bodyFieldFlags },
  examples: {
    'comem -p demo entries step deal-pipeline "Kite Logistics" --body dryRun:=true':
      'asks the embedded API what would happen',
    'comem -p demo entries step deal-pipeline "Kite Logistics"': 'queues a step',
    "comem -p demo entries step deal-pipeline --where 'stage = Screening' --dry-run": 'the requests for a stage',
  },
  stdout: 'object',
  writes: true,
  confirms: 'before it queues more than one named ENTRY',
  async run(ctx, { args, flags }) {
    checkChoice(ctx, args.ENTRY, flags);
    const body = await bodyOf(ctx, {}, flags);
    const [only = '', second] = args.ENTRY;
    if (second !== undefined || choosesMany(args.ENTRY, flags)) {
      return stepMany(ctx, args.LIST, args.ENTRY, flags, body);
    }
    const { id: listId } = await resolveList(ctx, args.LIST);
    const { id: entryId } = await resolveEntry(ctx, listId, only);
    const result = await writeAndShow(ctx, stepEntry, { params: { listId, entryId }, body }, stepColumns);
    if (result === undefined) return;
    if (result.data === undefined) throw new Failure('rejected', 'the server answered the step with an empty body');
    const refusal = refusedStep(result.data);
    if (refusal) throw refusal;
  },
});
