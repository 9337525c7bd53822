import { describe, expect, test } from 'vitest';
import { globalsBeside, longName } from '../../src/cli/define.ts';
import { foreignFlags } from '../../src/cli/first-flags.ts';
import { allCommands } from '../../src/cli/tree.ts';
import { tree } from '../../src/main.ts';
import { run } from '../helpers/run.ts';

describe('flags of other programs', () => {
  test.each([
    ['entries list x --columns title', '--fields'],
    ['--columns title entries list x', '--fields'],
    ['lists list --format csv', '--output FORMAT'],
    ['entries list x --order-by title', '--sort'],
    ['entries list x --desc', '--sort KEY:desc'],
    ['entries list x --top=5', '--limit'],
    ['entries list x -n 5', '--limit'],
    ['entries list x -q ai', '--search'],
    ['entries count x --group-by stage', '--by'],
    ['entries delete x --force', '--yes'],
    ['entries update x --dry', '--dry-run'],
    ['metrics series --since 2025-01', '--from'],
    ['metrics series --until 2025-01', '--to'],
    ['metrics growth --grain quarter', '--period-type'],
    ['metrics series --metric_ids mrr', '--metrics'],
    ['mirror log --after 2025-01-01', '--since'],
    ['grants revoke --before 2025-01-01', '--created-before'],
    ['published get x --on 2025-01-01', '--as-of'],
    ['check --fail_on x', '--fail-on'],
  ])('%s means %s', async (line, meant) => {
    const { code, stdout, stderr } = await run(line.split(' '));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^comem: unknown flag /);
    expect(stderr).toContain(`\n  hint: did you mean ${meant}?\n`);
  });

  test('only lead to flags that the command has', async () => {
    const { code, stderr } = await run(['lists', 'list', '--group-by', 'name']);
    expect(code).toBe(2);
    expect(stderr).toContain('run `comem lists list --help` to see the flags');
  });

  test('lead to flags that exist, and each from one place', async () => {
    const commands = await allCommands(tree);
    const flags = commands.flatMap((command) => Object.keys({ ...globalsBeside(command.flags), ...command.flags }));
    const known = new Set(flags.map(longName));
    const targets = Object.values(foreignFlags).flat();
    expect(targets.filter((target) => !known.has(`--${target.split(' ')[0]}`))).toEqual([]);
    const words = Object.keys(foreignFlags).flatMap((all) => all.split(' '));
    expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([]);
  });
});

test.each([
  [['metrics', 'series', 'mrr,arr'], 'did you mean -m mrr,arr?'],
  [['metrics', 'live', 'mrr'], 'did you mean `comem metrics get mrr`?'],
  [['metrics', 'get', 'mrr', 'arr'], 'several metrics: `comem metrics series -m ID,ID --last 1`'],
  [['entries', 'list', 'x', 'stage=Won'], 'did you mean --filter stage=Won?'],
  [['entries', 'list', 'x', 'amount>20M'], 'did you mean --where "amount>20M"?'],
  [['entries', 'list', 'x', 'acme'], 'did you mean --search acme?'],
  [['entries', 'create', 'x', 'New Co'], 'did you mean --title "New Co"?'],
  [['entries', 'create', 'x', 'stage=Won'], 'did you mean --set stage=Won?'],
  [['check', 'x'], 'did you mean `comem check entries x`?'],
  [['check', 'run'], 'did you mean `comem check`?'],
  [['lists', 'list', 'my deals'], 'did you mean `comem lists get "my deals"`, or --search "my deals"?'],
  [['lists', 'update', 'x', 'name=New name'], 'did you mean --name "New name"?'],
  [['entries', 'create', 'x', 'title=New'], 'did you mean --title New?'],
  [['-p', 'demo', 'entries', 'update', 'hiring', 'Ada', 'stage=Won'], 'did you mean --set stage=Won?'],
  [['attrs', 'get', 'x', 'stage'], 'did you mean `comem attrs list x`?'],
])('a word too many leads somewhere: %s', async (argv, hint) => {
  const { code, stdout, stderr } = await run(argv);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`\n  hint: ${hint}\n`);
});
