import { describe, expect, test } from 'vitest';
import { type AnyCommand, defineCommand, flag } from '../../src/cli/define.ts';
import { route } from '../../src/cli/route.ts';
import { aliasPaths, type Tree } from '../../src/cli/tree.ts';

const command = (path: string, more: Partial<AnyCommand> = {}): AnyCommand => ({
  ...defineCommand({
    path,
    summary: path,
    operations: [],
    args: [],
    flags: {},
    examples: [],
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
  nouns: {
    lists: {
      summary: 'Lists',
      load: async () => ({
        verbs: {
          list: load(
            command('lists list', { flags: { search: flag.text('TEXT', ''), all: flag.boolean('', { short: 'a' }) } }),
          ),
          delete: load(command('lists delete', { aliases: ['remove'] })),
        },
      }),
    },
    server: {
      summary: 'Server',
      load: async () => ({
        verbs: {
          start: load(command('server start')),
          keys: load(command('server keys')),
          'keys create': load(command('server keys create')),
          'keys list': load(command('server keys list')),
          'links get': load(command('server links get')),
        },
      }),
    },
    api: { summary: 'Any request', load: async () => ({ verbs: { '': load(command('api')) } }) },
  },
  shortcuts: { serve: ['server', 'start'] },
};

async function found(line: string) {
  const result = await route(line.split(' ').filter(Boolean), tree);
  return result.kind === 'command' ? `${result.command.path} <${result.rest.join(' ')}>` : result;
}

describe('which command an argv means', () => {
  test.each([
    ['lists list', 'lists list <>'],
    ['lists ls x', 'lists list <x>'],
    ['lists rm x', 'lists delete <x>'],
    ['lists remove x', 'lists delete <x>'],
    ['-o json lists list', 'lists list <-o json>'],
    ['lists --profile list list', 'lists list <--profile list>'],
    ['--output=json lists -y list x', 'lists list <--output=json -y x>'],
    ['-yo json lists list', 'lists list <-yo json>'],
    ['-ojson lists list', 'lists list <-ojson>'],
    ['lists --search lists list x', 'lists list <--search lists x>'],
    ['--search lists lists list', 'lists list <--search lists>'],
    ['lists -a list', 'lists list <-a>'],
    ['lists list -- delete', 'lists list <-- delete>'],
    ['server keys create x', 'server keys create <x>'],
    ['server keys -o json ls x', 'server keys list <-o json x>'],
    ['server keys nope', 'server keys <nope>'],
    ['server keys', 'server keys <>'],
    ['serve -- ls', 'server start <-- ls>'],
    ['-v serve --port 1', 'server start <-v --port 1>'],
    ['api GET /x', 'api <GET /x>'],
    ['api -o json GET', 'api <-o json GET>'],
  ])('%s', async (line, expected) => {
    expect(await found(line)).toBe(expected);
  });

  test.each([
    ['', { kind: 'root', rest: [] }],
    ['--help', { kind: 'root', rest: ['--help'] }],
    ['-o json', { kind: 'root', rest: ['-o', 'json'] }],
    ['-- lists list', { kind: 'root', rest: ['--', 'lists', 'list'] }],
    ['lst list', { kind: 'root', unknown: 'lst', rest: ['list'] }],
    ['toString list', { kind: 'root', unknown: 'toString', rest: ['list'] }],
    ['lists -h', { kind: 'noun', noun: 'lists', rest: ['-h'] }],
    ['lists nope', { kind: 'noun', noun: 'lists', unknown: 'nope', rest: [] }],
    ['lists constructor', { kind: 'noun', noun: 'lists', unknown: 'constructor', rest: [] }],
    ['server links', { kind: 'noun', noun: 'server', group: 'links', unknown: undefined, rest: [] }],
    ['server links nope', { kind: 'noun', noun: 'server', group: 'links', unknown: 'nope', rest: ['nope'] }],
  ])('no command: %s', async (line, expected) => {
    expect(await found(line)).toEqual(expected);
  });

  test('only the command that is run is loaded', async () => {
    loaded.length = 0;
    await found('-o json lists ls --search x');
    expect(loaded).toEqual(['lists list']);
  });

  test('the other spellings of a path', () => {
    expect(aliasPaths(tree, command('lists delete', { aliases: ['remove'] }))).toEqual(['lists rm', 'lists remove']);
    expect(aliasPaths(tree, command('server start'))).toEqual(['serve']);
    expect(aliasPaths(tree, command('list'))).toEqual([]);
  });
});
