/**
 * Screens of the documented commands, read at four widths: every word of a narrow screen is a word of the widest one, or
 * ends in the mark of a cut; no line is wider than the terminal; every number is one of the CSV, rounded as it is shown;
 * every heading is in the glossary below, a name of the data, or a period.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { documents } from '../helpers/examples.ts';
import { run } from '../helpers/run.ts';

const text = documents
  .map((page) => readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8'))
  .join('\n')
  .replaceAll('\\\n', ' ');
const read = [
  'entries (?:list|get|count|summarize|funnel|history)|metrics|published|lists (?:list|get)|attrs list|companies|changes',
  'grants (?:list|audit|matrix|expiring)',
].join('|');
/** Tables of what the demo holds: nothing is written, and nothing goes through a pipe or into a file. */
const lines = [
  ...new Set([
    ...[...text.matchAll(new RegExp(`^(?:\\$ )?comem -p demo ((?:${read}).*)$`, 'gm'))]
      .map(([, line = '']) => line.replace(/ -o table$| +# .*/g, '').trim())
      .filter((line) => !/[|>\\]|--out|-o |--json|--jq|chart|bridge|--fail|@|\$/.test(line)),
    ...['metrics live', 'metrics board -m mrr,burn', 'metrics catalog', 'metrics variance -m mrr --last 3'],
    ...['companies list', 'attrs list deal-pipeline', 'entries list deal-pipeline --limit 20', 'grants list'],
  ]),
];

const isScaled = /^(?:-?[\d,]+(?:\.\d+)?|[kM])$/;
const shellWord = /(?:'([^']*)'|"([^"]*)"|([^\s'"]+))/g;
const argvOf = (line: string) => [...line.matchAll(shellWord)].map(([, a, b, c]) => a ?? b ?? c ?? '');

async function stdoutOf(line: string, columns: number): Promise<{ screen: string; code: number }> {
  const { stdout, code } = await run(['-p', 'demo', ...argvOf(line)], { tty: true, columns, network: false });
  return { screen: stdout, code };
}

/** Words without what a table adds: signs of changes, sparklines, separators. */
const wordsOf = (screen: string) => screen.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));

/** Words of headings. Names of metrics, attributes, stages and companies, and periods are added. */
const glossary = [
  ...[
    'Company',
    'Metric',
    'Metrics',
    'Label',
    'Period',
    'Grain',
    'Version',
    'Value',
    'Unit',
    'Trend',
    'Δ m/m',
    'Δ q/q',
  ],
  ...[
    'Δ y/y',
    'Actual',
    'Budget',
    'Difference',
    '%',
    'Verdict',
    'Note',
    'Months',
    'Source',
    'Updated',
    'Created',
    'Sent',
  ],
  ...[
    'Recipient',
    'History',
    'Expires',
    'Status',
    'Rule',
    'Finding',
    'Grant',
    'Granted',
    'Outcome',
    'Then',
    'Now',
    'Until',
  ],
  ...[
    'Readable since',
    'Title',
    'Position',
    'Archived',
    'ID',
    'Name',
    'Slug',
    'Attributes',
    'Attribute',
    'Description',
  ],
  ...[
    'Type',
    'Options',
    'Required',
    'Count',
    'Entered',
    'Left',
    'Still',
    'To next',
    'Half left (days)',
    '90% left (days)',
  ],
  ...[
    'Mean of ended (days)',
    'Stale',
    'Skipped',
    'Again',
    'Already',
    'Since',
    'Days',
    'Usual',
    'Over',
    'What',
    'Where',
  ],
  ...['When', 'Seen', 'Before', 'After', 'Field', 'Change', 'Kind', 'Written', 'Not before', 'Alias', 'Default'],
  ...['Cadence', 'Aggregation', 'Direction', 'Custom', 'Stage'],
];

async function namesOfData(): Promise<string[]> {
  const columnOf = async (argv: string, field: string) => {
    const rules = ['-o', 'csv', '--no-header', '--fields', field];
    const { stdout } = await run(['-p', 'demo', ...argv.split(' '), ...rules], { network: false });
    return stdout.split('\n');
  };
  const lists = ['deal-pipeline', 'portfolio', 'hiring', 'investor-crm'];
  const attributes = await Promise.all(lists.map((list) => columnOf(`attrs list ${list}`, 'name')));
  const stages = await columnOf('entries count deal-pipeline --by stage', 'stage');
  return [
    ...attributes.flat(),
    ...stages.map((stage) => `To ${stage}`),
    ...(await columnOf('metrics catalog', 'label')),
    ...(await columnOf('companies list', 'alias')),
  ];
}

const units = / (?:[A-Z]{3}(?: [kMB])?|[kMB]|%|x|pp|months|days)$/;
const isPeriodOrSum = /^(?:\d{4}(?:-\d{2}|-Q\d)?(?: \(\d\/\d+\))?|\w+\(.*\)|[0-9a-f]{8}…)$/;

it('the documents have such commands', () => {
  expect(lines.length).toBeGreaterThan(30);
});

/** A number of a screen, and how many digits it has after the point. Parts of words, dates and ids are none. */
const number = /(?<![\w.…-])[+-]?\d[\d,]*(?:\.\d+)?(?![\w-]|\.\d)/g;

function isOfCsv(shown: string, exact: readonly number[]): boolean {
  const plain = shown.replaceAll(',', '');
  const digits = plain.split('.')[1]?.length ?? 0;
  const unit = 0.5000001 * 10 ** -digits;
  return exact.some((each) => [1, 1e3, 1e6, 1e9].some((scale) => Math.abs(each / scale - Number(plain)) <= unit));
}

describe.each(lines)('comem -p demo %s', (line) => {
  it('breaks no word, and marks what it cuts', async () => {
    const widest = await stdoutOf(`${line} --no-truncate`, 400);
    const known = new Set(wordsOf(widest.screen));
    for (const columns of [60, 80, 120, 200]) {
      const { screen, code } = await stdoutOf(line, columns);
      expect(code, `${columns} columns`).toBe(widest.code);
      // Without room for a difference its numbers have another scale.
      const broken = wordsOf(screen).filter((word) => !known.has(word) && !word.endsWith('…') && !isScaled.test(word));
      expect(broken, `${columns} columns`).toEqual([]);
      const wide = screen.split('\n').filter((each) => [...each].length > columns);
      expect(wide, `${columns} columns`).toEqual([]);
    }
  });

  it('shows numbers of the CSV, under headings of the glossary', async () => {
    const { screen } = await stdoutOf(line, 400);
    const plain = line.replace(/ --fields \S+/, '');
    const { stdout } = await run(['-p', 'demo', ...argvOf(plain), '-o', 'csv'], { network: false });
    const exact = (stdout.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number);
    const [head = '', ...rows] = screen.replace(/ \(\d+ days?(?: ago)?\)/g, '').split('\n');
    const odd = rows.flatMap((row) => row.match(number) ?? []).filter((shown) => !isOfCsv(shown, exact));
    expect(odd).toEqual([]);
    const narrow = (await stdoutOf(line, 60)).screen.replace(/ \(\d+ days?(?: ago)?\)/g, '').replace(/\S+…/g, '');
    const [, ...narrowRows] = narrow.split('\n');
    expect(narrowRows.flatMap((row) => row.match(number) ?? []).filter((shown) => !isOfCsv(shown, exact))).toEqual([]);
    if (rows.length < 3) return;
    const names = new Set([...glossary, ...(await namesOfData())]);
    const headings = head.split(/ {2,}/).map((heading) => heading.replace(units, ''));
    expect(headings.filter((each) => each !== '' && !names.has(each) && !isPeriodOrSum.test(each))).toEqual([]);
  });
});
