import { describe, expect, test } from 'vitest';
import { globalsBeside, longName } from '../../src/cli/define.ts';
import { allCommands } from '../../src/cli/tree.ts';
import { otherNames } from '../../src/commands/other-names.ts';
import { tree } from '../../src/main.ts';
import { wordsOf } from '../helpers/examples.ts';
import { run } from '../helpers/run.ts';

describe('flags of other programs', () => {
  test.each([
    ['entries list x --columns title', '--fields'],
    ['--columns title entries list x', '--fields'],
    ['lists list --format csv', '--output FORMAT'],
    ['lists list --csv', '--output csv'],
    ['entries list x --crlf', '--excel'],
    ['entries list x --order-by title', '--sort'],
    ['entries list x --sort-by title', '--sort'],
    ['entries list x --select title', '--fields'],
    ['entries list x --top=5', '--limit'],
    ['entries list x -n 5', '--limit'],
    ['entries count x --group_by stage', '--by'],
    ['metrics series --since 2025-01', '--from'],
    ['grants revoke --until 2025-01-01', '--older-than'],
    ['check --fail_on x', '--fail-on'],
    ['check --junit o.xml', '--report junit=FILE'],
    ['metrics get arr --currency USD', '--in'],
    ['lists copy x --from-company Lumen', '--company'],
    ['grants create --to cedar', '--recipient'],
  ])('%s means %s', async (line, meant) => {
    const { code, stdout, stderr } = await run(line.split(' '));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^comem: unknown flag /);
    expect(stderr).toContain(`\n  hint: did you mean ${meant}?\n`);
  });

  test('list the verbs that help lists', async () => {
    const { stderr } = await run(['metrics', 'frobnicate']);
    expect(stderr).toMatch(/use one of live, catalog, series, get, .*prefs/);
    expect(stderr).not.toMatch(/restatements|show/);
  });

  test.each([
    ['metrics series --transpose', 'metrics table'],
    ['metrics series --dates', 'period_start'],
    ['metrics series --companies x', '-c @GROUP'],
    ['metrics series --checkpoint x', '--from'],
    ['metrics series --header-units', '--shape long'],
    ['metrics growth --average 3', "--calc 'mean = avg(mrr, 3)'"],
    ['metrics chart --ascii', 'TERM=dumb'],
    ['metrics chart --height 9', '12 lines'],
    ['metrics bridge --partial', 'periods that are complete'],
    ['metrics board --variance', 'metrics variance'],
    ['metrics board --round 1', '--scale'],
    ['metrics board --subtotals', '--total'],
    ['metrics board --one-sheet', 'one sheet'],
    ['metrics restatements --fail-on changed', 'comem changes metrics'],
    ['metrics diff --partial', 'comem changes metrics --between A B'],
    ['mirror diff --kinds entries', 'comem changes --between A B'],
    ['mirror log --list x', 'comem changes'],
    ['mirror prune', 'comem mirror sync DIR'],
    ['mirror status --database postgres://x', 'comem mirror status DIR'],
    ['entries update x --add tags=AI', 'SLUG+=OPTION'],
    ['entries update x --remove tags=AI', 'SLUG-=OPTION'],
    ['entries funnel x --cohort 2025', '--from and --to'],
    ['entries import x f.csv --thousands .', '--decimal'],
    ['entries import x f.csv --no-trim', 'blanks around texts'],
    ['entries import x f.csv --tsv-escapes', 'the file decides'],
    ['entries import x f.csv --header 2', "--map '#2=amount'"],
    ['-p demo entries list deal-pipeline --filter valuation>20M', '--where "valuation>20M"'],
    ['-p demo entries list deal-pipeline --filter notes:=null', 'SLUG= finds what is empty'],
    ['check grants --expect none_expired_active', 'comem check entries LIST --expect EXPR'],
    ['-p demo check -o junit', '--report junit=FILE'],
    ['grants audit --rule no_expiry', "--where 'rule = RULE'"],
    ['published ledger --changed', '--where changed'],
    ['lists list --csv', '--output csv'],
    ['lists list --crlf', '--excel'],
    ['lists list --delimiter x', '--excel=de'],
    ['-p demo lists list --out noext', '-o FORMAT'],
    ['serve --fault rate-limit=50/s', '--rate-limit 50/s'],
    ['serve --log-level debug', 'a line for each request'],
    ['serve --log-format json', 'text on a terminal'],
    ['serve --max-title 3', 'fixed'],
    ['serve --max-page-bytes 3', 'fixed'],
    ['server status', '/readyz'],
    ['server credentials --dir own', '`comem server keys list --dir DIR` lists the keys'],
    ['server credentials --companies', 'name their companies'],
    ['check --watch', 'again when its data has changed'],
    ['sql', 'comem sql --tables'],
    ['grants revoke --recipient-company x', '--recipient'],
    ['metrics board --material 5', '--fail-on'],
    ['mirror verify', 'comem changes --live'],
    ['mirror sync --database postgres://x', 'a mirror is a folder'],
    ['mirror sync --to x', 'a mirror is a folder'],
    ['mirror diff', 'use `comem changes --between A B`'],
    ['metrics diff', 'use `comem changes metrics --between A B`'],
    ['completion refresh', 'commands that read names keep them'],
    ['check --report html', '--report md'],
    ['check --report=tap=x', '--report junit'],
    ['metrics series --shape versions', 'comem metrics variance'],
    ['metrics board --comments x', '--fail-on'],
    ['metrics calc add x', '--calc @FILE'],
    ['server copy', 'comem server dump'],
    ['-p demo lists list --out {date}.csv', '$(date +%F)'],
    ['-p demo attrs update deal-pipeline stage --option Passed --option Sourced', 'lists apply'],
  ])('%s, which was removed, leads to %s', async (line, hint) => {
    const { code, stderr } = await run(line.split(' '));
    expect([code, stderr.split('hint: ')[1]]).toEqual([2, expect.stringContaining(hint)]);
  });

  test('only lead to flags that the command has', async () => {
    const { code, stderr } = await run(['lists', 'list', '--group-by', 'name']);
    expect(code).toBe(2);
    expect(stderr).toContain('run `comem lists list --help` to see the flags');
  });

  test('are at most 40 names, and lead to flags and verbs that exist', async () => {
    const commands = await allCommands(tree);
    const flags = commands.flatMap((command) => Object.keys({ ...globalsBeside(command.flags), ...command.flags }));
    const known = new Set(flags.map(longName));
    const targets = Object.values(otherNames.flags).flat();
    expect(targets.filter((target) => !known.has(`--${target.split(' ')[0]}`))).toEqual([]);
    const verbs = new Set(commands.map(({ path }) => path.split(' ')[1]));
    expect(
      Object.values(otherNames.verbs)
        .flat()
        .filter((verb) => !verbs.has(verb.split(' ')[0])),
    ).toEqual([]);
    const { removed: _, ...others } = otherNames;
    expect(Object.values(others).flatMap((names) => Object.keys(names)).length).toBeLessThanOrEqual(40);
  });
});

test.each([
  ['entries duplicates x', 'comem entries dedupe x --key SLUG|title~'],
  ['metrics import x', 'comem metrics load x'],
  ['diff', 'comem changes entries LIST'],
])('%s leads to %s', async (line, command) => {
  const { code, stderr } = await run(line.split(' '));
  expect([code, stderr]).toEqual([2, expect.stringContaining(`did you mean \`${command}\`?`)]);
});

test.each([
  [['attrs', 'create', 'x', '--name', 'Y'], 'NAME has no flag: `comem attrs create LIST NAME`'],
  [['metrics', 'get', 'mrr', '2025Q4'], 'did you mean --period 2025-Q4?'],
  [
    ['-p', 'demo', 'published', 'report', '@portfolio'],
    '`comem -p demo -c @portfolio metrics board --out report.html` writes one page of all',
  ],
  [['check', '--report', 'junit', 'o.xml'], 'did you mean --report junit=o.xml?'],
  [['check', 'metrics'], 'write a file with a section `metrics: LABEL`: `comem help check` shows the form'],
  [['metrics', 'series', 'mrr,arr'], 'did you mean -m mrr,arr?'],
  [['entries', 'list', 'x', 'stage=Won'], 'did you mean --filter stage=Won?'],
  [['entries', 'list', 'x', 'amount>20M'], 'did you mean --where "amount>20M"?'],
  [['entries', 'list', 'x', 'acme'], 'did you mean --search acme?'],
  [['entries', 'create', 'x', 'New Co'], 'did you mean --title "New Co"?'],
  [['entries', 'create', 'x', 'stage=Won'], 'did you mean --set stage=Won?'],
  [['lists', 'update', 'x', 'name=New name'], 'did you mean --name "New name"?'],
  [['entries', 'create', 'x', 'title=New'], 'did you mean --title New?'],
  [['-p', 'demo', 'entries', 'update', 'hiring', 'Ada', 'stage=Won'], 'did you mean --set stage=Won?'],
  [['attrs', 'get', 'x', 'stage'], 'did you mean `comem attrs list x`?'],
])('a word too many leads somewhere: %s', async (argv, hint) => {
  const { code, stdout, stderr } = await run(argv);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`\n  hint: ${hint}\n`);
});

describe('comem help WORD', () => {
  test.each([
    ['env', 'environment'],
    ['exit', 'exit-codes'],
    ['checks', 'check'],
    ['company', 'companies'],
    ['import', 'entries import'],
    ['attributes', 'attrs list'],
    ['grnts', 'grants'],
  ])('%s leads to the page %s', async (word, page) => {
    const { code, stderr } = await run(['help', word]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`did you mean \`comem help ${page}\``)]);
    const pages = [...stderr.matchAll(/`comem ([^`]+)`/g)].map(([, line = '']) => line.split(' '));
    expect(await Promise.all(pages.map(async (argv) => (await run(argv)).code))).toEqual(pages.map(() => 0));
  });

  test('names the topics where no name is near', async () => {
    const { stderr } = await run(['help', 'quux']);
    const topics = 'conditions, flags, environment and exit-codes';
    expect(stderr).toContain(`hint: run \`comem help\` to see the nouns; the topics are ${topics}\n`);
  });

  test('conditions: each of its conditions is taken', async () => {
    const { stdout } = await run(['help', 'conditions']);
    expect(stdout).toContain('month - 1');
    for (const condition of [
      'stage = Invested, valuation > 20M, first-contact < 2025-01',
      'stage in (Invested, Passed), valuation between 1M and 2M',
      'title contains "data", title matches "(?i)^a"',
      'founder is empty, founder is not empty',
      'not (stage = Invested and valuation > 1M)',
      'first-contact = 2024-01-31, first-contact > 2024-Q1, first-contact < today - 30d, updated_at >= month - 1',
      'updated_at within 30d',
    ].flatMap((text) => text.split(/, (?=[a-z-_]+ )/))) {
      expect([
        condition,
        (await run(['-p', 'demo', 'entries', 'count', 'deal-pipeline', '--where', condition])).code,
      ]).toEqual([condition, 0]);
    }
  });
});

describe('a first guess', () => {
  const guess = async (line: string) => {
    const { code, stdout, stderr } = await run(wordsOf(line) ?? []);
    expect([code, stdout]).toEqual([2, '']);
    return { hint: stderr.split('hint: ')[1]?.trimEnd() ?? '' };
  };

  test.each([
    [
      'lists entries deal-pipeline --where "stage = Passed"',
      'comem entries list deal-pipeline --where "stage = Passed"',
    ],
    ['attributes deal-pipeline', 'comem attrs list LIST'],
    ['attrs show deal-pipeline stage', 'comem attrs list deal-pipeline'],
    ['attrs rename deal-pipeline stage', 'comem attrs update deal-pipeline stage'],
    ['attrs set deal-pipeline stage', 'comem attrs update deal-pipeline stage'],
    ['entries sum deal-pipeline valuation', 'comem entries summarize deal-pipeline'],
    ['metrics report', 'comem metrics board --out report.html'],
    ['published list', 'comem published periods COMPANY'],
    ['published list', 'comem published ledger'],
    ['companies show @portfolio', 'comem companies list'],
    ['companies get 0f1e', 'comem companies list'],
    ['-c @portfolio metrics latest -o csv', 'comem metrics live -c @portfolio -o csv'],
    ['metrics list -o csv --search mrr', 'comem metrics catalog -o csv --search mrr'],
    ['help report', 'comem help published report'],
    ['dedupe deal-pipeline', 'comem entries dedupe deal-pipeline --key SLUG|title~'],
    ['entires ls deal-pipeline', 'comem entries list deal-pipeline'],
  ])('%s leads to a command that runs: %s', async (line, command) => {
    const { hint } = await guess(line);
    expect(hint).toContain(`\`${command}\``);
    if (/[A-Z]{4}/.test(command)) return;
    const { code, stderr } = await run((wordsOf(command) ?? []).slice(1));
    // A mirror or something to change may be missing, but no word is wrong.
    if (code === 2) expect(stderr).toMatch(/nothing to change|mirror|its folder|COMPANY is missing/);
  });

  test.each(['grants list --active', 'entries list deal-pipeline --stage Sourced'])(
    '%s leads to --where',
    async (line) => {
      const { hint } = await guess(line);
      expect(hint).toMatch(
        /^run `comem .* --help` to see the flags: --.*; --where 'NAME = VALUE' chooses rows by a column$/,
      );
    },
  );

  test.each([
    ['entries list x --locale de', '--excel=de writes CSV with decimal commas'],
    ['entries import x f.csv --null n/a', "write --map '*=empty(n/a)'"],
    ['entries list x --group-by stage', '`comem entries summarize LIST --by COLUMN` groups entries'],
    ['entries summarize x --aggregate count', 'did you mean --agg?'],
    ['entries list x --head 3', 'did you mean --limit?'],
    ['entries list x --excel=zz', 'write --excel=de'],
    ['entries summarize x --sum valuation', "write --agg 'sum(COLUMN)'"],
    ['entries list x --calc y=2', '`comem sql` computes columns'],
    ['entries count x --sum valuation', "`comem entries summarize` has --agg 'sum(COLUMN)'"],
  ])('%s: %s', async (line, expected) => {
    expect((await guess(line)).hint).toBe(expected);
  });

  test.each(['metrics table --stacked', 'metrics variance --frozen'])(
    '%s is not taken for another flag',
    async (line) => {
      const { hint } = await guess(line);
      expect(hint).toMatch(/^run `comem .* --help` to see the flags/);
    },
  );
});
