import { bodyFieldFlags, bodyOf } from '../../cli/arguments.ts';
import type { Context } from '../../cli/context.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { bodyFlags, fieldsOf } from '../../cli/operation-flags.ts';
import { writeAndShow } from '../../cli/show.ts';
import { createList } from '../../contract/list-operations.ts';
import { oneListColumns } from './columns.ts';
import { companyLists, firstPlace, listNamed, toPrecede } from './read.ts';

const fields = bodyFlags(createList, {
  description: { summary: 'what the list is about' },
  icon: { summary: 'icon of the list, any text', hidden: true },
  color: { summary: 'color of the list, any text' },
  entity_type: { summary: 'what the entries are', hidden: true },
  context_type: { summary: 'context of the list, any text', hidden: true },
  position: { summary: 'place among the lists; 0 is the first', hidden: true },
});

async function askDescription({ runtime }: Context): Promise<{ description?: string }> {
  const { askText } = await import('../../cli/prompts.ts');
  const description = await askText(runtime, { message: 'Description (Enter for none):' });
  return description === '' ? {} : { description };
}

export default defineCommand({
  path: 'lists create',
  summary: 'Create a list',
  description: [
    'Prints the new list; -o id prints only its id.',
    'The API allows several lists of one name. With --if-not-exists an existing list of that name is printed instead; this lookup needs a session as well as the API key.',
  ].join('\n\n'),
  operations: ['listLists', 'createList'],
  args: [{ name: 'NAME', summary: 'name of the list', picker: 'text' }],
  flags: {
    ...fields,
    ifNotExists: flag.boolean('print the existing list of that name, if there is one'),
    ...bodyFieldFlags,
  },
  examples: {
    'comem -p demo lists create "S&P 500" --description "Constituents"': 'a list without attributes',
    'comem -p demo lists create Funds --if-not-exists -o id': 'safe to repeat in a script',
    'comem -p demo lists create Funds --dry-run': 'shows the request and sends nothing',
  },
  stdout: 'object',
  writes: true,
  async run(ctx, { args, flags, isInteractive }) {
    const position = firstPlace(await toPrecede(flags.position, () => companyLists(ctx)));
    const named = await bodyOf(ctx, { name: args.NAME, ...fieldsOf(fields, flags), ...position }, flags);
    const body =
      isInteractive && named.description === undefined ? { ...named, ...(await askDescription(ctx)) } : named;
    const existing = flags.ifNotExists ? await listNamed(ctx, String(body.name)) : undefined;
    if (existing) {
      ctx.out.note(`The list "${existing.name}" exists already; nothing was created.`);
      await ctx.out.value(existing, oneListColumns);
      return;
    }
    await writeAndShow(ctx, createList, { body }, oneListColumns);
  },
});
