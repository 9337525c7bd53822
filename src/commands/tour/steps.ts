/** The steps of the tour: purpose, command, and what to look at afterwards. */

export interface Step {
  says: string;
  /** The words after `comem -p demo`. */
  words: readonly string[];
  see: string;
}

const step = (says: string, words: string, see: string): Step => ({
  says,
  words: [...words.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? ''),
  see,
});

export const steps: readonly Step[] = [
  step(
    'Which lists does the company have?',
    'lists list --fields name,slug,list_attributes_count',
    'The second column is what commands call a list.',
  ),
  step(
    'The largest deals in diligence',
    "entries list deal-pipeline --where 'stage = Diligence' --sort valuation:desc --limit 3 --fields title,sector,valuation",
    '--where takes any expression: and, or, dates, numbers such as 20M.',
  ),
  step(
    'How many deals are in each stage?',
    'entries count deal-pipeline --by stage',
    'Stages without a deal are counted, too.',
  ),
  step(
    'Revenue and cash burn of the last three months',
    'metrics table -m mrr,burn --last 3',
    'Numbers come with their unit and their latest change.',
  ),
  step(
    'The same as a chart',
    'metrics chart -m mrr --last 12 --height 8',
    '--out mrr.html writes it as a page for a browser.',
  ),
  step(
    'Two metrics as CSV, for a spreadsheet',
    'metrics series -m mrr,arr --last 6 -o csv',
    'Every digit is there. --out FILE writes a file, also .xlsx and .parquet.',
  ),
  step(
    'Who may read our metrics?',
    "grants list --where 'status = active' --fields recipient_company_id,metric_ids,expires_at",
    'A grant lets another company or a user read metrics.',
  ),
  step(
    'Revoke what cedar may read',
    'grants revoke --recipient cedar --yes',
    'Without --yes it shows what it would do, and asks.',
  ),
  step(
    'Change one entry',
    "entries update deal-pipeline 'Kite Logistics' --set stage=Invested --fields title,stage",
    'The option is given by its label; an unknown one is refused.',
  ),
  step('And undo the change', 'undo --yes', '`comem history` lists what was written.'),
  step(
    'Does the list hold what it should?',
    "check entries deal-pipeline --expect 'count >= 100' --expect 'unique(title)'",
    'A check that fails ends with exit code 1: made for CI.',
  ),
];

/** As a person types it. */
export function commandLine({ words }: Step): string {
  return ['comem', '-p', 'demo', ...words.map((word) => (/^[\w./:=,@-]+$/.test(word) ? word : `'${word}'`))].join(' ');
}
