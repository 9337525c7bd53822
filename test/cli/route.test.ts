import { describe, expect, test } from 'vitest';
import { type AnyCommand, defineCommand, flag } from '../../src/cli/define.ts';
import { pathOf } from '../../src/cli/parser.ts';
import { Route } from '../../src/cli/route.ts';
import { aliasPaths, type Tree } from '../../src/cli/tree.ts';
import { Failure } from '../../src/core/errors.ts';

const command = (path: string, more: Partial<AnyCommand> = {}): AnyCommand => ({
  ...defineCommand({
    path,
    summary: path,
    operations: [],
    args: [{ name: 'WORDS', summary: '', optional: true, variadic: true }],
    flags: {},
    examples: {},
    stdout: 'nothing',
    run: async () => {},
  }),
  ...more,
});

const loaded: string[] = [];
const load = (made: AnyCommand) => async () => {
  loaded.push(made.path);
  return { default: made };
};

const tree: Tree = {
  about: { summary: 'Lists', description: 'Lists.', examples: [] },
  nouns: {
    lists: {
      summary: 'Lists',
      verbs: {
        list: load(
          command('lists list', { flags: { search: flag.text('TEXT', ''), all: flag.boolean('', { short: 'a' }) } }),
        ),
        delete: load(command('lists delete')),
      },
    },
    server: {
      summary: 'Server',
      verbs: {
        start: load(command('server start')),
        keys: load(command('server keys')),
        'keys create': load(command('server keys create')),
        'keys list': load(command('server keys list')),
        'links get': load(command('server links get')),
      },
    },
    companies: {
      summary: 'Companies',
      verbs: { remove: load(command('companies remove')) },
    },
    api: { summary: 'Any request', verbs: { '': load(command('api')) } },
  },
  shortcuts: { serve: ['server', 'start'] },
};

/** `lists list <x> search=y`, `help of comem lists`, or the message of what is refused. */
async function found(line: string): Promise<string> {
  const argv = line.split(' ').filter(Boolean);
  const result = await new Route(argv, tree).find().catch((error) => {
    if (error instanceof Failure && error.kind === 'usage') return error.message;
    throw error;
  });
  if (typeof result === 'string') return result;
  if (result.kind === 'version') return 'version';
  if (result.kind === 'help') return `help of ${pathOf(result.parser)}${result.isRequested ? '' : ', not asked for'}`;
  const { args, flags, globals } = result.parsed;
  const given = Object.entries({ ...flags, ...globals }).filter(([, value]) => value !== undefined);
  const words = [args.WORDS].flat().join(' ');
  return [`${result.command.path} <${words}>`, ...given.map(([key, value]) => `${key}=${value}`)].join(' ');
}

describe('which command an argv means', () => {
  test.each([
    ['lists list', 'lists list <>'],
    ['lists ls x', 'lists list <x>'],
    ['lists rm x', 'lists delete <x>'],
    ['companies rm x', 'companies remove <x>'],
    ['-o json lists list', 'lists list <> output=json'],
    ['lists --profile list list', 'lists list <> profile=list'],
    ['--output=json lists -y list x', 'lists list <x> output=json yes=true'],
    ['-yo json lists list', 'lists list <> output=json yes=true'],
    ['-ojson lists list', 'lists list <> output=json'],
    ['-c a lists -c b list -c c', 'lists list <> company=a,b,c'],
    ['-o csv lists list -o json', 'lists list <> output=json'],
    ['lists --no-header list', 'lists list <> noHeader=true'],
    ['lists --search lists list x', 'lists list <x> search=lists'],
    ['--search lists lists list', 'lists list <> search=lists'],
    ['--search=-v lists list -v', 'lists list <> search=-v verbose=true'],
    ['lists list --search -v', 'lists list <> search=-v'],
    ['lists -a list', 'lists list <> all=true'],
    ['lists list -- delete', 'lists list <delete>'],
    ['--search x lists list -- -a', 'lists list <-a> search=x'],
    ['server keys create x', 'server keys create <x>'],
    ['server keys -o json ls x', 'server keys list <x> output=json'],
    ['server keys nope', 'server keys <nope>'],
    ['server keys', 'server keys <>'],
    ['serve -- ls', 'server start <ls>'],
    ['-v serve --limit 1', 'server start <> limit=1 verbose=true'],
    ['api GET /x', 'api <GET /x>'],
    ['api -o json GET', 'api <GET> output=json'],
  ])('%s', async (line, expected) => {
    expect(await found(line)).toBe(expected);
  });

  test.each([
    ['', 'help of comem, not asked for'],
    ['--help', 'help of comem'],
    ['-V', 'version'],
    ['-v --version', 'version'],
    ['-o json', 'help of comem, not asked for'],
    ['-- lists list', 'help of comem, not asked for'],
    ['lists -- list', 'help of comem lists, not asked for'],
    ['lists', 'help of comem lists, not asked for'],
    ['lists -h', 'help of comem lists'],
    ['lists nope -h', 'unknown verb "nope" for `comem lists`'],
    ['-h lists list', 'help of comem lists list'],
    ['lists -h list', 'help of comem lists list'],
    ['lists list --nope -h', 'help of comem lists list'],
    ['server links', 'help of comem server links, not asked for'],
    ['lst list', 'unknown noun "lst"'],
    ['lst -h', 'unknown noun "lst"'],
    ['--search x lst list', 'unknown noun "lst"'],
    ['toString list', 'unknown noun "toString"'],
    ['lists nope', 'unknown verb "nope" for `comem lists`'],
    ['lists constructor', 'unknown verb "constructor" for `comem lists`'],
    ['lists lists', '"lists" is a noun, and `comem lists` needs a verb'],
    ['server links nope', 'unknown verb "nope" for `comem server links`'],
    ['--nope lists list', 'unknown flag --nope for `comem`'],
    ['lists --nope=1 list', 'unknown flag --nope for `comem lists`'],
    ['lists list -Z', 'unknown flag -Z for `comem lists list`'],
    ['lists list --search', '--search needs a value'],
    ['lists list -yo', '--output needs a value'],
  ])('no command: %s', async (line, expected) => {
    expect(await found(line)).toBe(expected);
  });

  test('only the command that is run is loaded', async () => {
    loaded.length = 0;
    await found('-o json lists ls --search x');
    expect(loaded).toEqual(['lists list']);
  });

  test.each([
    ['lists list --nope', ['lists list']],
    ['lst --nope', []],
    ['companies remov -o json', ['companies remove']],
  ])('%s is refused without loading other commands', async (line, expected) => {
    loaded.length = 0;
    await found(line);
    expect([...new Set(loaded)]).toEqual(expected);
  });

  test('the other spellings of a path', () => {
    expect(aliasPaths(tree, command('lists delete'))).toEqual(['lists rm']);
    expect(aliasPaths(tree, command('companies remove'))).toEqual(['companies rm']);
    expect(aliasPaths(tree, command('server start'))).toEqual(['serve']);
    expect(aliasPaths(tree, command('list'))).toEqual([]);
  });
});
