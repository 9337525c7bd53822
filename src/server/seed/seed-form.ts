/** What a seed file is: by its name, else by its beginning. */
import { extname } from 'node:path';
import { sniffDelimiter } from '../../core/csv.ts';
import { type Failure, usage } from '../../core/errors.ts';

export const seedForms = ['yaml', 'json', 'csv', 'tsv'] as const;
export type SeedForm = (typeof seedForms)[number];

/** By the extension; undefined for another one. */
export function seedFormOfName(name: string): SeedForm | undefined {
  const extension = extname(name).slice(1).toLowerCase();
  return extension === 'yml' ? 'yaml' : seedForms.find((form) => form === extension);
}

/** By the beginning of its text. */
export function seedFormOfText(text: string): SeedForm {
  const start = text.replace(/^\uFEFF/, '').trimStart();
  if (/^[{[]/.test(start)) return 'json';
  if (/^(?:---|#|%YAML|[\w"'-]+:(?:\s|$))/.test(start)) return 'yaml';
  return sniffDelimiter(start) === '\t' ? 'tsv' : 'csv';
}

export function unnamedSeed(name: string): Failure {
  return usage(
    `${name} is not a seed file: its name must end in .yaml, .yml, .json, .csv, .tsv`,
    'if only the extension is wrong, give --format',
  );
}

/** Whether it holds metric points, which need a company to belong to. */
export function isOfPoints(form: SeedForm): form is 'csv' | 'tsv' {
  return form === 'csv' || form === 'tsv';
}
