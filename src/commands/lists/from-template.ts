import { bodyFieldFlags, bodyOf } from '../../cli/arguments.ts';
import { defineCommand } from '../../cli/define.ts';
import { bodyFlags, fieldsOf } from '../../cli/operation-flags.ts';
import { writeAndShow } from '../../cli/show.ts';
import { instantiateTemplate } from '../../contract/list-operations.ts';
import { templateIds } from '../../contract/lists.ts';
import { instanceColumns } from './columns.ts';

const fields = bodyFlags(instantiateTemplate, { name: { summary: "name of the list; default: the template's" } });

export default defineCommand({
  path: 'lists from-template',
  summary: 'Create a list with the attributes of a template',
  description: `The embedded API knows the templates ${templateIds.join(', ')}; another server may know others. Prints the list and the template; -o id prints the list's id.`,
  operations: ['instantiateTemplate'],
  args: [{ name: 'TEMPLATE', summary: `id of the template, such as ${templateIds[0]}`, picker: 'template' }],
  flags: { ...fields, ...bodyFieldFlags },
  examples: {
    'comem -p demo lists from-template okrs --name "Goals 2026"': 'a list of objectives',
    'comem -p demo lists from-template hiring -o id': 'the id of the new list',
    'comem -p demo lists from-template investor-crm --dry-run': 'shows the request and sends nothing',
  },
  stdout: 'object',
  writes: true,
  async run(ctx, { args, flags }) {
    const body = await bodyOf(ctx, { templateId: args.TEMPLATE, ...fieldsOf(fields, flags) }, flags);
    await writeAndShow(ctx, instantiateTemplate, { body }, instanceColumns, { id: ({ list }) => list?.id });
  },
});
