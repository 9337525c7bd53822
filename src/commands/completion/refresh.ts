import { defineCommand } from '../../cli/define.ts';
import { readNames } from './setup.ts';

export default defineCommand({
  path: 'completion refresh',
  summary: 'Read the names that completion offers',
  description:
    'Reads lists with their attributes, metrics and grants of the company. Commands that read them keep their names, too, so that this is needed only for names that no command has read yet.',
  operations: ['listLists', 'getList', 'getMetricCatalog', 'listGrants'],
  args: [],
  flags: {},
  examples: [
    { run: 'comem -p demo completion refresh', says: 'the names of the demo company' },
    { run: 'comem completion refresh -c lumen', says: 'those of another company' },
    { run: 'comem -p demo completion refresh -c harbor', says: 'those of a company of the demo' },
  ],
  stdout: 'nothing',
  ofNow: true,
  async run(ctx) {
    await readNames(ctx);
  },
});
