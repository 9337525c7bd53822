/** The steps of `--map` in words, for help. */
import { stepRules } from '../../../domain/import/steps.ts';

const written: Readonly<Record<string, string>> = {
  strip: 'strip(TEXT,…)',
  replace: 'replace(OLD,NEW)',
  split: 'split(TEXT[,N])',
  default: 'default(TEXT)',
  number: 'number[(LANGUAGE)]',
  percent: 'percent[(LANGUAGE)]',
  date: 'date[(FORMAT)]',
};

export function stepsText(): string {
  return Object.entries(stepRules)
    .map(([name, { says }]) => `${written[name] ?? name} (${says})`)
    .join(', ');
}
