import { defineCommand } from '../../cli/define.ts';
import { listGrants } from '../../contract/metric-operations.ts';
import { isUuid } from '../../contract/validate.ts';
import { Failure, usage } from '../../core/errors.ts';
import { notAnId } from './choice.ts';
import { oneGrantColumns } from './columns.ts';

export default defineCommand({
  path: 'grants get',
  summary: 'Show one metric grant',
  description: 'The API reads no single grant, so the list of the company is read and searched.',
  operations: ['listGrants'],
  args: [{ name: 'ID', summary: 'uuid of the grant', picker: 'grant' }],
  examples: {
    'comem -p demo grants get "$(comem -p demo grants list --limit 1 -o id)"': 'every field of the first grant',
    'comem -p demo grants get "$(comem -p demo grants list --status active --limit 1 -o id)" --jq \'.metric_ids\'':
      'what one grant opens',
    'comem -p demo grants get "$(comem -p demo grants list --sort created_at:desc --limit 1 -o id)" -o json':
      'the newest, as the API has it',
  },
  stdout: 'object',
  async run(ctx, { args }) {
    const id = args.ID.toLowerCase();
    if (ctx.settings.raw)
      throw usage('--raw prints what the API sends, and it reads no single grant', 'see grants list');
    const client = await ctx.client();
    const grant = (await client.call(listGrants)).find((candidate) => candidate.id?.toLowerCase() === id);
    if (grant) return ctx.out.value(grant, oneGrantColumns, { next: 'comem grants revoke ID ends it' });
    if (!isUuid(id)) throw notAnId(args.ID);
    throw new Failure('notFound', `the company has no grant ${args.ID}`, { hint: '`comem grants list` shows them' });
  },
});
