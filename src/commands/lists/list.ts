import { defineCommand, flag } from '../../cli/define.ts';
import { refuseRawQuery, rowFlags, showRows } from '../../cli/query.ts';
import { showRaw } from '../../cli/show.ts';
import { listLists } from '../../contract/list-operations.ts';
import { usage } from '../../core/errors.ts';
import { listColumns } from './columns.ts';
import { companyLists } from './read.ts';

export default defineCommand({
  path: 'lists list',
  summary: 'List the custom lists of a company',
  description: '--search ignores letter case. --where and --sort take the columns of --fields help.',
  operations: ['listLists'],
  flags: { ...rowFlags, search: flag.text('TEXT', 'lists whose name, slug or description contains this text') },
  examples: {
    'comem -p demo lists list': 'every list of the company',
    "comem -p demo lists list --where 'list_attributes_count > 10' --sort name": 'the wide ones by name',
    'comem -p demo lists list --search deal -o id': 'ids of the lists about deals',
  },
  async run(ctx, { flags }) {
    const { search } = flags;
    if (ctx.settings.raw && search !== undefined) {
      throw usage('--search and --raw cannot be used together: the API returns every list, and comem searches');
    }
    refuseRawQuery(ctx, flags);
    if (await showRaw(ctx, listLists, {})) return;
    const wanted = search?.toLowerCase();
    const read = async () =>
      (await companyLists(ctx)).filter(
        ({ name, slug, description }) =>
          wanted === undefined || [name, slug, description].some((text) => text?.toLowerCase().includes(wanted)),
      );
    await showRows(ctx, read, listColumns, {
      flags,
      command: ['lists list', flags.where, search],
      name: ({ id, name }) => `${id} "${name}"`,
      counts: ['list', 'lists'],
      next: 'comem entries list NAME for its rows',
      empty: wanted === undefined ? 'No lists.' : `No list with "${search}".`,
    });
  },
});
