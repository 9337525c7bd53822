/** Loads a seed file of any form into a database. Metric points need a company, which it finds. */
import { extname } from 'node:path';
import type { Version } from '../../contract/metrics.ts';
import { usage } from '../../core/errors.ts';
import { slugOf } from '../model/slug.ts';
import { companiesIn } from '../store/people.ts';
import { markSeeded, type Store } from '../store/store.ts';
import { type LoadReport, loadSeed, type Say, type SeedSource } from './load.ts';
import { readLongSeed } from './long-seed.ts';
import type { OpenFile } from './read-csv.ts';
import { readSeed } from './read-seed.ts';
import type { SeedCompany } from './seed.ts';
import { isOfPoints, type SeedForm, seedFormOfName, unnamedSeed } from './seed-form.ts';

interface LoadFileOptions {
  text: string;
  /** The file instead of its text, read while it is loaded; not of YAML. */
  open?: OpenFile | undefined;
  /** The file's name without folders: before its extension, it names a new company. */
  name: string;
  /** What it holds; default: as its extension says. */
  form?: SeedForm | undefined;
  /** When its rows were created, where they do not say. Default: the clock of the data. */
  now?: Date | undefined;
  /** Of metric points: id or name. */
  company?: string | undefined;
  version?: Version | undefined;
  rename?: Readonly<Record<string, string>> | undefined;
  say?: Say | undefined;
}

interface LoadedFile {
  report: LoadReport;
  /** The company of metric points. */
  company?: { id: string; name: string } | undefined;
}

export async function loadFile(store: Store, options: LoadFileOptions): Promise<LoadedFile> {
  const { text, open, name, now, version, rename } = options;
  const form = options.form ?? seedFormOfName(name);
  if (form === undefined) throw unnamedSeed(name);
  if (!isOfPoints(form) && (options.company ?? version ?? rename) !== undefined) {
    throw usage(`--company, --as-version and --rename are only for CSV files of metric points, not for ${name}`);
  }
  const company = isOfPoints(form) ? await pointsCompany(store, options) : undefined;
  const source = isOfPoints(form)
    ? pointsSource(options, company ?? '')
    : await (open ? readLongSeed(open, name) : readSeed(text, name, form));
  const report = await loadSeed(store, source, now, options.say);
  await markSeeded(store, name);
  if (!company) return { report };
  const wanted = typeof company === 'string' ? company : company.name;
  return { report, company: (await companiesIn(store.db)).find(({ id, name }) => id === wanted || name === wanted) };
}

/** Metric points as a seed, with the company when it is a new one. */
function pointsSource(
  { text, open, name, version, rename }: LoadFileOptions,
  company: SeedCompany | string,
): SeedSource {
  const [companies, reference] = typeof company === 'string' ? [[], company] : [[company], company.slug];
  const whole: OpenFile = async function* () {
    yield Buffer.from(text);
  };
  return {
    seed: { companies },
    file: { open: open ?? whole, options: { name, company: reference, version, rename } },
    fail: (path, says) => usage(`${name}: ${path} ${says}`),
  };
}

/** The id of an existing company, or a new company if the database has none. */
async function pointsCompany(store: Store, { name, company }: LoadFileOptions): Promise<SeedCompany | string> {
  const all = await companiesIn(store.db);
  const choice = all.map(({ id, name }) => `${name} (${id})`).join(', ');
  if (all.length === 0) {
    // Neither stdin nor a pipe has a name.
    const called = company ?? name.slice(0, name.lastIndexOf(extname(name) || name));
    if (called === '') throw usage(`${name} needs --company: the database is empty`, 'give the new company a name');
    return { slug: slugOf(called, 'company'), name: called };
  }
  if (company === undefined) {
    if (all.length === 1) return (all[0] as { id: string }).id;
    throw usage(`${name} needs --company: the database holds ${all.length} companies`, `choose one of ${choice}`);
  }
  const exact = all.filter(({ id, name }) => id === company.toLowerCase() || name === company);
  // A seed file names companies by slug: `one` is One.
  const found = exact.length > 0 ? exact : all.filter(({ name }) => slugOf(name, '') === company.toLowerCase());
  if (found.length === 1 && found[0]) return found[0].id;
  const why = found.length === 0 ? 'is not in the database' : `is the name of ${found.length} companies`;
  throw usage(`--company ${company} ${why}`, `it holds ${choice}`);
}
