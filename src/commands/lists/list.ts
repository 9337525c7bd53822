import { defineCommand, flag } from '../../cli/define.ts';
import { showRaw } from '../../cli/show.ts';
import { listLists } from '../../contract/list-operations.ts';
import { usage } from '../../core/errors.ts';
import { listColumns } from './columns.ts';
import { companyLists } from './read.ts';

export default defineCommand({
  path: 'lists list',
  summary: 'List the custom lists of a company',
  description: '--search ignores letter case.',
  operations: ['listLists'],
  args: [],
  flags: { search: flag.text('TEXT', 'lists whose name, slug or description contains this text') },
  examples: [
    { run: 'comem -p demo lists list', says: 'every list of the company' },
    { run: 'comem -p demo lists list --search deal -o id', says: 'ids of the lists about deals' },
  ],
  stdout: 'rows',
  async run(ctx, { flags: { search } }) {
    if (ctx.settings.raw && search !== undefined) {
      throw usage('--search and --raw do not go together: the API returns every list, and comem searches');
    }
    if (await showRaw(ctx, listLists, {})) return;
    const wanted = search?.toLowerCase();
    const lists = (await companyLists(ctx)).filter(
      ({ name, slug, description }) =>
        wanted === undefined || [name, slug, description].some((text) => text?.toLowerCase().includes(wanted)),
    );
    await ctx.out.rows(lists, listColumns, { empty: wanted === undefined ? 'No lists.' : `No list with "${search}".` });
  },
});
