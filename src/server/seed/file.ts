/** Files of seeds (YAML, JSON, NDJSON) and of metric points (CSV, TSV). */
import { extname } from 'node:path';
import type { Version } from '../../contract/metrics.ts';
import { issues } from '../../contract/validate.ts';
import { JsonSyntaxError, usage } from '../../core/errors.ts';
import { parseJson } from '../../core/json.ts';
import { maxTextBytes } from '../../core/limits.ts';
import { type LocatedValue, placesOf, readYaml } from '../../core/yaml.ts';
import { slugOf } from '../model/names.ts';
import { catalogOf } from '../store/catalog.ts';
import { chosenCompany, companiesIn } from '../store/people.ts';
import { markSeeded, type Store } from '../store/store.ts';
import { findRows } from '../store/tables.ts';
import { loadSeed } from './load.ts';
import type { LoadReport } from './loading.ts';
import { type OpenFile, readPointsCsv } from './points-csv.ts';
import { Seed, type SeedSource } from './seed.ts';

const seedForms = ['yaml', 'json', 'ndjson', 'csv', 'tsv'] as const;
export type SeedForm = (typeof seedForms)[number];

export interface SeedFile {
  /** The name without folders; a new company is named after it, without the extension. */
  name: string;
  /** Default: as the extension of the name says. */
  form?: SeedForm | undefined;
  open: OpenFile;
}

interface LoadFileOptions extends SeedFile {
  /** The creation time of rows that have none. Default: the clock of the data. */
  now?: Date | undefined;
  /** The company of metric points: id or name. */
  company?: string | undefined;
  version?: Version | undefined;
  rename?: Readonly<Record<string, string>> | undefined;
  /** Reports what would be written, and writes nothing. */
  dryRun?: boolean;
}

interface LoadedFile {
  report: LoadReport;
  /** The company of metric points. */
  company?: { id: string; name: string } | undefined;
  /** The metrics that the file adds to the catalog. */
  newMetrics?: readonly string[];
}

/** The form of a file by its extension. */
function seedFormOfName(name: string): SeedForm | undefined {
  const extension = extname(name).slice(1).toLowerCase();
  return extension === 'yml' ? 'yaml' : seedForms.find((form) => form === extension);
}

/** Loads a file of any form. @throws usage with the line of what is wrong */
export async function loadFile(store: Store, options: LoadFileOptions): Promise<LoadedFile> {
  const { open, name, now, version, rename, dryRun } = options;
  const form = options.form ?? seedFormOfName(name);
  if (form === undefined) {
    throw usage(
      `${name} is not a seed file: its name must end in .yaml, .yml, .json, .ndjson, .csv, .tsv`,
      'give --format for stdin, a pipe or another extension',
    );
  }
  if (form !== 'csv' && form !== 'tsv') {
    if ((options.company ?? version ?? rename) !== undefined) {
      throw usage(`--company, --versions and --map are only for CSV files of metric points, not for ${name}`);
    }
    const report = await loadSeed(store, () => readSeed(open, name, form), { now, dryRun });
    if (!dryRun) await markSeeded(store, name);
    return { report };
  }
  const company = await pointsCompany(store, options);
  const reference = 'slug' in company ? company.slug : company.id;
  const definitions = 'id' in company ? await findRows(store.db, 'metric_definitions', { company_id: company.id }) : [];
  const catalog = catalogOf(definitions);
  const added = new Set<string>();
  const report = await loadSeed(
    store,
    async function* () {
      const fail: SeedSource['fail'] = (path, message) => usage(`${name}: ${path} ${message}`);
      if ('slug' in company) yield { seed: { companies: [company] }, fail };
      for await (const source of readPointsCsv(open, { name, company: reference, version, rename, catalog })) {
        for (const { metrics } of source.seed.points ?? []) for (const id of Object.keys(metrics)) added.add(id);
        yield source;
      }
    },
    { now, dryRun },
  );
  for (const { metricId } of catalog) added.delete(metricId);
  const newMetrics = [...added];
  if (dryRun) return { report, company: { id: reference, name: company.name }, newMetrics };
  await markSeeded(store, name);
  const stored = (await companiesIn(store.db)).find(({ id, name }) => id === reference || name === company.name);
  return { report, company: stored, newMetrics };
}

/** The seeds of a file: the whole of YAML and JSON, each line of NDJSON. @throws usage with line and column */
export async function* readSeed(
  open: OpenFile,
  name: string,
  form: 'json' | 'ndjson' | 'yaml',
): AsyncGenerator<SeedSource> {
  if (form === 'ndjson') {
    let line = 0;
    for await (const text of linesOf(open, name)) {
      line += 1;
      if (text.trim() !== '') yield seedSource(await readJson(text, name, line), name);
    }
    return;
  }
  let text = '';
  for await (const piece of textOf(open, name)) {
    text += piece;
    if (text.length > maxTextBytes) {
      throw usage(`${name} is longer than ${maxTextBytes} bytes`, 'write it as NDJSON: one part of the seed a line');
    }
  }
  yield seedSource(form === 'json' ? await readJson(text, name) : await readYaml(text, name), name);
}

/** @throws usage unless it is a seed */
function seedSource({ value, place }: LocatedValue, name: string): SeedSource {
  const fail: SeedSource['fail'] = (path, message) => {
    const { line, column } = place(path);
    return usage(`${name}, line ${line}, column ${column}: ${path === '' ? 'the file' : path} ${message}`);
  };
  const [first, ...more] = issues(Seed, value);
  if (!first) return { seed: value as Seed, fail };
  throw fail(first.path, more.length === 0 ? first.message : `${first.message} (and ${more.length} more)`);
}

/** @param firstLine the line of the file at which the text begins */
async function readJson(text: string, name: string, firstLine = 1): Promise<LocatedValue> {
  const bare = text.replace(/^\uFEFF/, '');
  const below = ({ line, column }: { line: number; column: number }) => ({ line: line + firstLine - 1, column });
  try {
    const placeOf = await placesOf(bare);
    return { value: parseJson(bare), place: (path) => below(placeOf(path)) };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const { line, column } = below(error);
    throw usage(`${name}, line ${line}, column ${column}: ${error.says}`);
  }
}

async function* linesOf(open: OpenFile, name: string): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of textOf(open, name)) {
    const lines = piece.split('\n');
    lines[0] = rest + (lines[0] ?? '');
    rest = lines.pop() ?? '';
    if (rest.length > maxTextBytes) throw usage(`${name} has a line of more than ${maxTextBytes} bytes`);
    yield* lines;
  }
  yield rest;
}

async function* textOf(open: OpenFile, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const bytes of open()) yield decoder.decode(bytes, { stream: true });
    yield decoder.decode();
  } catch (error) {
    throw error instanceof TypeError ? usage(`${name} is not UTF-8 text`) : error;
  }
}

/** An existing company, or a new one if the database has none. */
async function pointsCompany(
  store: Store,
  { name, company }: LoadFileOptions,
): Promise<{ id: string; name: string } | { slug: string; name: string }> {
  const all = await companiesIn(store.db);
  if (all.length === 0) {
    // Neither stdin nor a pipe has a name.
    const label = company ?? name.slice(0, name.lastIndexOf(extname(name) || name));
    if (label === '') throw usage(`${name} needs --company: the database is empty`, 'give the new company a name');
    return { slug: slugOf(label, 'company'), name: label };
  }
  return chosenCompany(all, company);
}
