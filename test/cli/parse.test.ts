import { describe, expect, test } from 'vitest';
import { type AnyCommand, type Argument, defineCommand, type Flags, flag } from '../../src/cli/define.ts';
import { queryFlags } from '../../src/cli/operation-flags.ts';
import { Route } from '../../src/cli/route.ts';
import { operations } from '../../src/contract/index.ts';
import { Failure } from '../../src/core/errors.ts';

function command(args: readonly Argument[], flags: Flags): AnyCommand {
  const none = { summary: '', operations: [], examples: {}, stdout: 'nothing', run: async () => {} } as const;
  return defineCommand({ path: 'things do', ...none, args, flags });
}

const trial = command(
  [
    { name: 'THING', summary: '' },
    { name: 'rest', summary: '', optional: true, variadic: true },
  ],
  {
    size: flag.integer('N', '', { minimum: 1, maximum: 9, short: 's' }),
    ratio: flag.number('N', ''),
    tone: flag.text('TONE', '', { choices: ['sage', 'mint'] }),
    set: flag.list('SLUG=VALUE', ''),
    noWrap: flag.boolean(''),
    force: flag.boolean('', { short: 'v' }),
    ...queryFlags(operations.getMetricSeries, {
      fromPeriod: { flag: 'from', says: 'a period such as 2006-01' },
      cursor: {},
    }),
  },
);

async function find(of: AnyCommand, argv: string[]) {
  const verbs = { do: async () => ({ default: of }) };
  const about = { summary: 'Things', description: 'Things.', examples: [] };
  const tree = { about, nouns: { things: { summary: 'Things', verbs } }, shortcuts: {} };
  return new Route(['things', 'do', ...argv], tree).find();
}

/** The message without a terminal. */
async function refused(of: AnyCommand, argv: string[]): Promise<string> {
  try {
    const found = await find(of, argv);
    if (found.kind === 'command' && found.missing) throw found.missing;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'usage') return `${error.message} (${error.hint ?? ''})`;
    throw error;
  }
  throw new Error('was not refused');
}

async function parsed(of: AnyCommand, argv: string[]) {
  const result = await find(of, argv);
  if (result.kind !== 'command') throw new Error(result.kind);
  const given = (values: object) =>
    Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  return { args: result.parsed.args, flags: given(result.parsed.flags), globals: given(result.parsed.globals) };
}

describe('flags and arguments', () => {
  test('take one value of a flag that chooses, and the last of one that shapes the output', async () => {
    const twice = '--tone is given twice: sage and mint (give one of them)';
    expect(await refused(trial, ['x', '--tone', 'sage', '--tone', 'mint'])).toBe(twice);
    expect(await refused(trial, ['x', '-p', 'a', '-p', 'b'])).toContain('--profile is given twice: a and b');
    const same = ['x', '--tone', 'sage', '--tone', 'sage', '-o', 'csv', '-o', 'json'];
    expect(await parsed(trial, same)).toMatchObject({ flags: { tone: 'sage' }, globals: { output: 'json' } });
  });

  test('take = after a short name too', async () => {
    expect(await parsed(trial, ['x', '-s=3', '-o=json', '-p=demo', '--set', '=y'])).toMatchObject({
      flags: { size: 3, set: ['=y'] },
      globals: { output: 'json', profile: 'demo' },
    });
    expect(await refused(trial, ['x', '-s='])).toContain('--size must be a whole number, got "="');
  });

  test('are typed, in any order', async () => {
    const argv = [
      '--set',
      'a=1',
      'one',
      '-s',
      '3',
      '--ratio=-1.5',
      '--set',
      'b=--x',
      'two',
      '-o',
      'csv',
      '-',
      '--no-wrap',
    ];
    expect(await parsed(trial, argv)).toEqual({
      args: { THING: 'one', rest: ['two', '-'] },
      flags: { set: ['a=1', 'b=--x'], size: 3, ratio: -1.5, noWrap: true },
      globals: { output: 'csv' },
    });
  });

  test('a value may begin with a hyphen', async () => {
    expect((await parsed(trial, ['x', '--ratio', '-2'])).flags).toEqual({ ratio: -2 });
  });

  test('after -- everything is an argument', async () => {
    expect((await parsed(trial, ['x', '--', '--size', '-h'])).args).toEqual({ THING: 'x', rest: ['--size', '-h'] });
  });

  test("a command's own short flag goes before the global one of the same letter", async () => {
    expect(await parsed(trial, ['x', '-v'])).toMatchObject({ flags: { force: true }, globals: {} });
    expect((await parsed(trial, ['x', '--verbose'])).globals).toEqual({ verbose: true });
  });

  test('-c repeats', async () => {
    expect((await parsed(trial, ['x', '-c', 'a', '-c', 'b'])).globals).toEqual({ company: ['a', 'b'] });
  });

  test.each([['-h'], ['--help'], ['x', '--size', '2', '-h']])('help is asked for by %j', async (...argv) => {
    expect(await find(trial, argv)).toMatchObject({ kind: 'help', isRequested: true });
  });
});

describe('what is refused, by flag, value and rule', () => {
  test.each([
    [['x', '--size', '0'], '--size must be 1 to 9, got "0" ()'],
    [['x', '--size', '1.0'], '--size must be a whole number, got "1.0" ()'],
    [['x', '--size', ''], '--size must be a whole number, got "" ()'],
    [
      ['x', '--limit', '99999999999999999999'],
      '--limit must be a whole number of at most 2^53 - 1, got "99999999999999999999" ()',
    ],
    [['x', '--page-size', 'x'.repeat(200)], `--page-size must be a whole number, got "${'x'.repeat(80)}…" ()`],
    [['x', '--page-size', '0'], '--page-size must be at least 1, got "0" ()'],
    [['x', '--ratio', '1e999'], 'the number 1e999 is out of range: an exponent is from -400 to 400 ()'],
    [['x', '--ratio', '0x10'], '--ratio must be a number, got "0x10" ()'],
    [['x', '--tone', 'sag'], '--tone must be sage or mint, got "sag" (did you mean sage?)'],
    [['x', '-o', 'xml'], /^--output must be table, .* or spark, got "xml"/],
    [['x', '--from', '2006-13'], '--from must be a period such as 2006-01, got "2006-13" ()'],
    [['x', '--cursor', 'x'.repeat(501)], /^--cursor must have at most 500 characters, got/],
    [['x', '--sise', '1'], 'unknown flag --sise for `comem things do` (did you mean --size?)'],
    [
      ['x', '-Z'],
      'unknown flag -Z for `comem things do` (run `comem things do --help` to see the flags: --size, --ratio, --tone, --set, --no-wrap, --force, --from, --cursor)',
    ],
    [['x', '--size'], '--size needs a value (run `comem things do --help` to see the flags)'],
    [['x', '--tone'], '--tone needs a value (give sage or mint)'],
    [[], 'THING is missing (usage: comem things do THING [REST...] [flags])'],
  ])('%j', async (argv, expected) => {
    const says = await refused(trial, argv);
    if (typeof expected === 'string') expect(says).toBe(expected);
    else expect(says).toMatch(expected);
  });

  test('an argument too many, a flag that is required, a word that is not a choice', async () => {
    const strict = command([{ name: 'SHELL', summary: '', choices: ['bash', 'zsh'] }], {
      title: flag.text('TEXT', '', { required: true }),
    });
    expect(await refused(strict, ['bash', 'more', '--title', 'x'])).toMatch('takes only SHELL, got "more" too');
    expect(await refused(strict, ['bash'])).toBe(
      '--title is required (usage: comem things do SHELL --title TEXT [flags])',
    );
    expect(await refused(strict, ['bsh', '--title', 'x'])).toBe(
      'SHELL must be bash or zsh, got "bsh" (did you mean bash?)',
    );
  });
});
