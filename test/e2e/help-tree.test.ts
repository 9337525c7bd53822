/** Walks the whole command tree of the built program: what every command must have and do. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { builtProgram, cli, runBinary } from '../helpers/cli.ts';
import { run } from '../helpers/run.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Flag {
  name: string;
  kind: string;
  summary: string;
  required?: boolean;
}
interface Command {
  path: string;
  aliases: string[];
  usage: string;
  summary: string;
  operations: string[];
  arguments: { name: string; required: boolean; repeats: boolean }[];
  flags: Flag[];
  examples: { run: string; says: string }[];
  stdout: string;
  writes: boolean;
}
interface Tree {
  version: string;
  nouns: { name: string; summary: string; commands: Command[] }[];
  globalFlags: Flag[];
  exitCodes: Record<string, string>;
}

let tree: Tree;
let commands: Command[];

beforeAll(async () => {
  tree = JSON.parse((await cli(['help', '--json'])).stdout) as Tree;
  commands = tree.nouns.flatMap((noun) => noun.commands);
});

const program = builtProgram();
/** Without a start: what is asked of every command is asked of one process, and of the program itself further below. */
const comem = (argv: readonly string[]) => run(argv, { network: true, program });

/** Runs one check for each command, a few at a time. */
async function forEach<T>(all: readonly T[], check: (each: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const worker = async () => {
    for (let each = left.shift(); each !== undefined; each = left.shift()) await check(each);
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
}

describe('every command', () => {
  test('there are all that the surface names', () => {
    expect(commands.length).toBeGreaterThan(40);
    expect(Object.keys(tree.exitCodes)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '70', '129', '130', '143']);
  });

  test('has a help text on stdout, with an example, exit 0', async () => {
    await forEach(commands, async ({ path, summary, examples, usage }) => {
      const { code, stdout, stderr } = await comem([...path.split(' '), '--help', '--long']);
      expect({ path, code, stderr }).toEqual({ path, code: 0, stderr: '' });
      expect(stdout).toContain(summary);
      expect(stdout.replace(/\s+/g, ' ')).toContain(usage);
      expect(examples.length, path).toBeGreaterThan(0);
      // A long line is broken as a shell reads it.
      const lines = stdout.replace(/ \\\n\s+/g, ' ').replace(/\s+/g, ' ');
      for (const { run } of examples) expect(lines).toContain(run.split('\n')[0]);
    });
  });

  test('answers a flag that it does not have with exit 2, a sentence, and nothing on stdout', async () => {
    await forEach(commands, async ({ path }) => {
      const { code, stdout, stderr } = await comem([...path.split(' '), '--no-such-flag']);
      expect({ path, code, stdout }).toEqual({ path, code: 2, stdout: '' });
      expect(stderr).toMatch(/^comem: .*--no-such-flag/);
      expect(stderr).not.toMatch(/^\s+at /m);
    });
  });

  test('says which argument is missing', async () => {
    const asking = commands.filter((command) => command.arguments.some(({ required }) => required));
    expect(asking.length).toBeGreaterThan(20);
    await forEach(asking, async ({ path, arguments: args, flags }) => {
      const { code, stdout, stderr } = await comem(path.split(' '));
      expect({ path, code, stdout }).toEqual({ path, code: 2, stdout: '' });
      const flag = flags.find(({ required }) => required);
      const says = flag ? `${flag.name} is required` : `${args.find(({ required }) => required)?.name} is missing`;
      expect(stderr, path).toContain(says);
    });
  });

  test('is reached by its aliases', async () => {
    const aliased = commands.flatMap(({ path, aliases }) => aliases.map((alias) => ({ path, alias })));
    expect(aliased.map(({ alias }) => alias)).toEqual(expect.arrayContaining(['lists ls', 'lists rm', 'lists show']));
    await forEach(aliased, async ({ path, alias }) => {
      const [one, other] = await Promise.all([
        cli([...alias.split(' '), '--help']),
        cli([...path.split(' '), '--help']),
      ]);
      expect(one.stdout, alias).toBe(other.stdout);
    });
  });

  test('is written as its own examples are, and they name no flag that does not exist', () => {
    const globals = tree.globalFlags.map(({ name }) => name);
    for (const { path, flags, examples, aliases } of commands) {
      const known = [...flags.map(({ name }) => name), ...globals, '--help'];
      const spellings = [path, ...aliases].map((words) => words.split(' '));
      const own = examples
        .flatMap(({ run }) => run.split(/\s*(?:\||&&|;|\n|<\(|\$\()\s*/))
        .filter((part) => part.includes('comem '));
      const named = own.filter((part) =>
        spellings.some((words) => words.every((word) => part.split(/\s+/).includes(word))),
      );
      expect(named.length, path).toBeGreaterThan(0);
      for (const part of named) {
        const before = part.replace(/'[^']*'|"[^"]*"/g, '').split(' -- ')[0] ?? '';
        for (const [flag] of before.matchAll(/(?<=\s)--[a-z][a-z-]*/g))
          expect(known, `${path}: ${part}`).toContain(flag);
      }
    }
  });

  test('that asks lists -y, and so does every one whose text names --yes', async () => {
    const asking = ['profiles delete', 'server reset', 'server keys revoke', 'server start'];
    await forEach(commands, async ({ path, writes }) => {
      const { stdout } = await comem([...path.split(' '), '--help', '--long']);
      const named = / -y\/--yes[ \n]/.test(stdout);
      expect({ path, named }).toEqual({ path, named: writes || asking.includes(path) });
      if (stdout.replace('-y/--yes', '').includes('--yes')) expect({ path, named }).toEqual({ path, named: true });
    });
  });

  test('that writes has a dry run, and one that does not refuses it', async () => {
    const reading = commands.filter(({ writes }) => !writes).slice(0, 12);
    await forEach(reading, async ({ path, arguments: args }) => {
      const words = args.flatMap(({ required }) => (required ? ['x'] : []));
      const { code, stdout } = await comem([...path.split(' '), ...words, '--dry-run']);
      expect({ path, code, stdout }).toEqual({ path, code: 2, stdout: '' });
    });
  });
});

describe('the program', () => {
  test('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    for (const argv of [['--version'], ['-V'], ['-v', '--version']]) {
      expect(await runBinary(argv)).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
    }
    expect(tree.version).toBe(version);
  });

  test('says as a process what its parts say here', async () => {
    for (const argv of [
      ['lists', 'get'],
      ['metrics', 'series', '--no-such-flag'],
      ['lists', 'list', '--dry-run'],
    ]) {
      const { code, stdout, stderr } = await comem(argv);
      expect(await runBinary(argv)).toMatchObject({ code, stdout, stderr });
    }
    const { stdout } = await runBinary(['lists', 'list', '--help', '--long']);
    expect(stdout).toBe((await comem(['lists', 'list', '--help', '--long'])).stdout);
  });

  test('names each noun in its help, and prints the help of each', async () => {
    const { stdout } = await cli(['--help']);
    await forEach(tree.nouns, async ({ name, commands: verbs }) => {
      expect(stdout).toContain(`  ${name} `);
      if (verbs.some(({ path }) => path === name)) return;
      const bare = await runBinary([name]);
      const asked = await cli([name, '--help']);
      expect(bare).toMatchObject({ code: 2, stdout: '' });
      expect(asked).toMatchObject({ code: 0, stderr: '' });
      expect(bare.stderr).toBe(asked.stdout);
    });
  });

  test('no two commands share a path, and no summary ends in a full stop', () => {
    const paths = commands.flatMap(({ path, aliases }) => [path, ...aliases]);
    expect(paths.filter((path, index) => paths.indexOf(path) !== index)).toEqual([]);
    for (const { summary, path, flags } of commands) {
      for (const text of [summary, ...flags.map((flag) => flag.summary)]) expect(text, path).not.toMatch(/\.$|^$/);
    }
  });
});
