/** Metric values of a CSV file into the database of the profile: plan, confirmation, load. */
import { basename, resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { prepareWrite } from '../../cli/guard.ts';
import { filePieces, stdinPieces } from '../../cli/input-files.ts';
import { amount } from '../../cli/words.ts';
import { requireBaseUrl } from '../../config/settings.ts';
import type { Version } from '../../contract/metrics.ts';
import { embeddedFolder, isEmbedded } from '../../core/addresses.ts';
import { listSome, usage } from '../../core/errors.ts';
import type { LoadReport } from '../../server/seed/loading.ts';
import type { Counts } from '../../server/store/tables.ts';
import { loadColumns } from '../server/columns.ts';

interface PointOptions {
  version: Version | undefined;
  rename: Readonly<Record<string, string>> | undefined;
}

export async function loadPoints(ctx: Context, file: string, options: PointOptions): Promise<void> {
  const folder = databaseFolder(ctx);
  const [{ loadFile }, { asFailure, openStore }] = await Promise.all([
    import('../../server/seed/file.ts'),
    import('../../server/store/store.ts'),
  ]);
  const input = file === '-' ? await stdinPieces(ctx.runtime) : filePieces(resolve(ctx.runtime.cwd, file), file);
  const store = await openStore({ dataDir: folder });
  try {
    const load = (dryRun: boolean) =>
      loadFile(store, {
        ...options,
        name: file === '-' ? 'stdin' : basename(file),
        form: /\.tsv$/i.test(file) ? 'tsv' : 'csv',
        open: () => input.open(),
        company: ctx.company(),
        now: ctx.runtime.env.COMEM_NOW ? ctx.runtime.now() : undefined,
        dryRun,
      });
    const { report, company, newMetrics = [] } = await load(true);
    const name = company?.name ?? '';
    for (const line of planLines(report, { file, name, newMetrics })) ctx.out.note(line);
    const isChanged = rowsOf(report).some(({ created, updated }) => created + updated > 0);
    if (isChanged && !ctx.settings.dryRun) {
      await prepareWrite(ctx, `Load ${basename(file)} into ${name}?`);
      await load(false);
    }
    await ctx.out.rows(rowsOf(report), loadColumns, { id: (row) => row.section });
  } catch (error) {
    throw asFailure(store.engine, error);
  } finally {
    await store.close();
  }
}

/** @throws usage for an API with an address, and for the demo */
function databaseFolder({ settings, profiles, runtime }: Context): string {
  const baseUrl = requireBaseUrl(settings, profiles);
  const folder = isEmbedded(baseUrl) ? embeddedFolder(baseUrl) : undefined;
  if (folder !== undefined) return resolve(runtime.cwd, folder);
  if (isEmbedded(baseUrl)) {
    throw usage('the demo keeps its own metrics', 'make a database of your own with `comem init`');
  }
  throw usage(
    `the API at ${baseUrl} takes no metric values`,
    'run `comem server load FILE --dir DIR` on the machine of the server, with the folder of its database',
  );
}

/** Sections in which a file of points can have anything. */
const sections = ['companies', 'catalog', 'points'];

function rowsOf(report: LoadReport): (Counts & { section: string })[] {
  return Object.entries(report)
    .filter(([section]) => section === 'points' || (sections.includes(section) && changes(report[section]) > 0))
    .map(([section, counts]) => ({ section, ...counts }));
}

const changes = (counts: Counts | undefined): number => (counts?.created ?? 0) + (counts?.updated ?? 0);

/** Names of new metrics in the plan. */
const maxNames = 12;

interface PlanOptions {
  file: string;
  name: string;
  newMetrics: readonly string[];
}

function planLines(report: LoadReport, { file, name, newMetrics }: PlanOptions): string[] {
  const added = changes(report.catalog);
  const { created = 0, updated = 0, unchanged = 0 } = report.points ?? {};
  const values = (count: number) => amount(count, 'value', 'values');
  const lines = [
    [added, '+', `add ${amount(added, 'metric', 'metrics')} to the catalog: ${listSome(newMetrics, maxNames)}`],
    [created, '+', `add ${values(created)}`],
    [updated, '~', `change ${values(updated)}`],
    [unchanged, '=', `leave ${values(unchanged)} as ${unchanged === 1 ? 'it is' : 'they are'}`],
  ] as const;
  return [
    `Plan for the metrics of ${name} from ${file === '-' ? 'stdin' : basename(file)}:`,
    ...lines.filter(([count]) => count > 0).map(([, mark, text]) => `  ${mark} ${text}`),
  ];
}
