import { pairs } from '../../cli/arguments.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { shellWord } from '../../cli/words.ts';
import { versions } from '../../contract/metrics.ts';
import { loadColumns } from './columns.ts';
import { databaseFlags, seedFile, seedForms, withStore } from './database.ts';

export default defineCommand({
  path: 'server load',
  summary: 'Load a seed file or CSV metric points into a database',
  description:
    'YAML and JSON files hold companies, users, keys, sessions, lists, saved views, a catalog, points, publications and ' +
    'grants; `comem server dump` writes one, and seed.schema.json of the package describes it. NDJSON has a part of the ' +
    'same on each line, and any size.\n\n' +
    'A CSV file holds metric points: wide (dates in the first column, one column for each metric) or long (columns ' +
    'period, metric and value). Dates are written 2006-01-01, 2006-01, 2006-Q1, 2006 or Jan 1 2006. In an empty database ' +
    'a company is created and named after the file.\n\n' +
    'Loading is one transaction, and loading the same file twice changes nothing.',
  args: [{ name: 'FILE', summary: 'the file, or - for stdin' }],
  flags: {
    ...databaseFlags,
    company: flag.text('ID|NAME', 'the company of a CSV file; default: the only one', { short: 'c' }),
    versions: flag.text('VERSION', 'the version of the points in a CSV file; default actual', {
      choices: versions,
      also: { 'as-version': 'VALUE' },
    }),
    format: flag.text('FORMAT', 'what FILE holds; default: its extension; yaml on stdin', { choices: seedForms }),
    map: flag.list('OLD=NEW', 'rename a column of a CSV file, such as date=period', { also: { rename: 'VALUE' } }),
  },
  examples: {
    'comem server load team.yaml --dir ./data': 'a seed file',
    'comem server load us-employment.csv --dir ./data': 'points of a company named after the file',
    'comem server load plan.csv --versions budget -c Acme': 'a budget by month, quarter or year',
  },
  async run(ctx, { args: { FILE: file }, flags: { company, versions: versionName, map: renames, format, ...choice } }) {
    const content = await seedFile(ctx, file, format);
    const rename =
      renames &&
      Object.fromEntries(pairs('--map', renames).map(({ key, ...pair }) => [key, 'text' in pair ? pair.text : '']));
    await withStore(ctx, choice, async (store, { options: { dataDir } }) => {
      const { loadFile } = await import('../../server/seed/file.ts');
      const loaded = await loadFile(store, {
        ...content,
        now: ctx.runtime.env.COMEM_NOW ? ctx.runtime.now() : undefined,
        company,
        version: versions.find((version) => version === versionName),
        rename,
      });
      const rows = Object.entries(loaded.report).map(([section, counts]) => ({ section, ...counts }));
      const present = rows.filter(({ created, updated, unchanged }) => created + updated + unchanged > 0);
      await ctx.out.rows(present, loadColumns, { id: (row) => row.section, empty: 'The file holds nothing.' });
      if (!loaded.company) return;
      const { id, name } = loaded.company;
      const here = dataDir === undefined ? '' : ` \`--base-url embedded:${dataDir}\` reads them here.`;
      ctx.out.note(`The points belong to ${name} (${id}).${here}`);
      const dir = dataDir === undefined ? '' : ` --dir ${shellWord(dataDir)}`;
      ctx.out.note(`\`comem server keys create${dir} --company ${id}\` creates a key for a server.`);
    });
  },
});
