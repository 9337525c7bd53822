/** Flags that every way of running checks takes. */

import { type FlagValues, flag, inGroup } from '../../cli/define.ts';
import { usage } from '../../core/errors.ts';
import { severities } from '../../domain/checks/model.ts';

/** Looked for where no file is named. */
export const defaultFile = 'comem.checks.yaml';

export const checkFileArgument = {
  name: 'FILE',
  summary: `the check file; default ${defaultFile}`,
  optional: true,
} as const;

type CheckFileFlags = FlagValues<typeof checkFileFlag> & { report?: readonly string[] };

export const checkFileFlag = { file: flag.text('FILE', 'the check file, as FILE', { short: 'f', hidden: true }) };

/** @throws usage for two files, and for a word that is none: a verb, a list, or the file of a report */
export function chosenFile(argument: string | undefined, { file, report }: CheckFileFlags): string {
  if (argument === undefined) return file ?? defaultFile;
  if (file !== undefined) throw usage('the check file is given twice', 'omit -f');
  if (argument === '-' || /\.(?:ya?ml|json)$/i.test(argument)) return argument;
  const format = report?.find((word) => !word.includes('='));
  const hint = format
    ? `did you mean --report ${format}=${argument}?`
    : ['metrics', 'grants'].includes(argument)
      ? `write a file with a section \`${argument}: LABEL\`: \`comem help check\` shows the form`
      : 'its verbs are entries, init, lint';
  throw usage(`FILE of \`comem check\` ends in .yaml, got "${argument}"`, hint);
}

export const baselineFlags = {
  baseline: flag.text('FILE', 'what an earlier run found: only new findings fail'),
  updateBaseline: flag.boolean('write the baseline; an existing one accepts no new failure'),
};

export const reportFlags = inGroup('REPORT', {
  report: flag.list('FORMAT[=FILE]', 'table, json, junit, github, sarif, md', {
    pattern: { source: '^(table|json|junit|github|sarif|md)(=|$)', says: 'table, json, junit, github, sarif or md' },
  }),
  failOn: flag.text('error|warn', 'the least severity that fails the run; default error', { choices: severities }),
  maxFindings: flag.integer('N', 'show at most N findings of each check; default 10', { minimum: 0, hidden: true }),
});

/** The check file in help and in the man page: its sections, keys and expectations. */

export const fileHelp = [
  'The file has `version: 1` and `checks:`, a list of sections. A section names one of `list:` (uuid, slug or name), `metrics:` or `grants:` (a label), and has `expect:`, a list of expectations.',
  'Further keys: `severity` (error or warn), `tags`, `owner`; `company`; for a list `where`, `filter`, `archived` (exclude, include, only); for lists and grants `allow-empty`; for metrics `from`, `to`, `last`. An expectation is a text, or an object with `expect`, `name`, `severity`, `tags`, `owner`, `description`.',
  'List: exists, count >= 10, attributes(a, b), attribute(a, select, "X"), required(a), unique(a, b), accepted(a, "x"), pattern(a, "^x"), valid(), type(a, year), range(a, 0, 10), length(a, 1, 80), not_future(a), a within 7d, row(a within 7d), sum(a) >= 0, average(a), median(a), min(a), max(a), distinct(a), count by a >= 1, count(a = "X") / count >= 10%, references(a, "list", title), no_archived, change(count) <= 10%, if a = "X" then b > 0, any condition.',
  'Metrics: catalog(mrr), no_gaps(mrr), fresh(mrr, 45d), range(mrr, 0, 150), sign(mrr, positive), growth(mrr, mom, -20%, 50%), variance(mrr, budget) <= 10%, live(mrr), arr = 12 * mrr ± 1%. Grants: count <= 20, expiry_set, none_expired_active, recipients(UUID), metrics(mrr), historical(UUID).',
];

export const fileManual = [
  '`list`, `where` and `archived` choose the entries: `where` is a condition as in --where, and archived entries are left out unless `archived` says otherwise. `from`, `to` and `last` choose months; without them the last 12 months that have ended. `filter` has short conditions as --filter has them. `company` is a uuid, an alias, a name or @group, or a list of them: each company has its own results. `list: COMPANY:LIST` says the same of one list. A check that looked at nothing does not pass: no row matches `where`, the list has no rows, the company no grants. `allow-empty: true` lets it; `count = 0` needs none, and `count <= 20` without `where` counts what there is. A label that is a company needs `company`.',
  '`required` and `unique` look at values that are there or repeat; `unique(a, b)` takes both columns together. An empty value passes every other function: add `required(a)`; a text of blanks is empty for it. `accepted` allows only the texts that follow, `pattern` only what matches the expression (RE2), `type` only number, integer, year, date, datetime, uuid, url, email or boolean. `valid()` holds every value against its attribute, `valid(a)` one column. `range` and `length` take two bounds, or `min=` and `max=`.',
  '`a within 7d` holds when the newest value up to now is at most 7 days old; `row(a within 7d)` looks at each entry. `fresh(a, 7d)` is the older form of the first. `by` groups: `count by stage >= 1` tests each option. `change(count) <= 10%` compares with the baseline, and does not pass without one. --update-baseline takes new counts and drops what no longer fails; where the file exists, it accepts no new failure. `references(a, "list", title)` needs each value in a column of another list.',
  '`no_gaps` allows no missing month, `fresh(mrr, 45d)` needs a month with a value that ended at most 45 days ago, `sign` is positive, negative, non_negative or non_positive, `growth` bounds the change from month to month (mom), quarter (qoq) or year (yoy). `variance` compares with budget or forecast, `live` needs a live value, and `± 1%` is a tolerance. Grants that were revoked do not count. `expiry_set` needs an end on every grant, `none_expired_active` allows no active grant that has expired; `recipients`, `metrics` and `historical` allow only those that follow.',
  'docs/query.md describes conditions. checks.schema.json in the package is the JSON Schema of the file, for editors.',
];
