/** What completion offers, before a shell shows it. test/e2e/completion.test.ts types in real shells. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bashWord, completionAnswer, powershellWord } from '../../src/cli/completion/answer.ts';
import { completionScripts } from '../../src/cli/completion/scripts.ts';
import { longName } from '../../src/cli/define.ts';
import { allCommands } from '../../src/cli/tree.ts';
import { tree } from '../../src/main.ts';
import { run } from '../helpers/run.ts';
import { testIf } from '../helpers/tools.ts';

/** A parser of PowerShell as WASM: the parser and the grammar. */
const grammar = (() => {
  const require = createRequire(
    join(process.env.COMEM_TEST_POWERSHELL ?? join(import.meta.dirname, '../..'), 'package.json'),
  );
  try {
    return {
      parser: require.resolve('web-tree-sitter'),
      language: require.resolve('tree-sitter-powershell/tree-sitter-powershell.wasm'),
    };
  } catch {
    return undefined;
  }
})();

let home: string;
let env: Record<string, string>;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'comem-completion-'));
  env = Object.fromEntries(['CONFIG', 'DATA', 'CACHE', 'STATE'].map((name) => [`XDG_${name}_HOME`, join(home, name)]));
  for (const argv of ['lists list', 'lists get deal-pipeline', 'metrics catalog', 'grants list']) {
    expect((await run(['-p', 'demo', ...argv.split(' ')], { env })).code).toBe(0);
  }
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

/** The action and the words that are offered for the last of the words. */
async function offered(...words: string[]): Promise<string[]> {
  const [action = '', ...lines] = (await completionAnswer(['zsh', '--', ...words], tree, env)).trimEnd().split('\n');
  return [action.trim(), ...lines.map((line) => line.split('\t')[0] ?? '')];
}

describe('completion', () => {
  test.each([
    [['li'], ['words', 'lists']],
    [
      ['lists', 'c'],
      ['words', 'create', 'copy'],
    ],
    [
      ['-o', 'json', 'lists', '--profile', 'demo', 'c'],
      ['words', 'create', 'copy'],
    ],
    [
      ['metrics', 'prefs', ''],
      ['words', 'get', 'set'],
    ],
    [
      ['entries', 'ls', 'x', '--arch'],
      ['words', '--archived'],
    ],
    [['entries', 'list', 'x', '--archived', '--arch'], ['words']],
    [
      ['help', 'ex'],
      ['words', 'exit-codes'],
    ],
    [
      ['help', 'metrics', 'ser'],
      ['words', 'series'],
    ],
    [['help', 'lists', 'list', ''], ['words']],
    [
      ['completion', ''],
      ['words', 'install', 'uninstall', 'bash', 'zsh', 'fish', 'powershell'],
    ],
    [
      ['check', '--rep'],
      ['words', '--report'],
    ],
    [
      ['lists', 'list', '-o', 't'],
      ['words', 'table', 'tsv'],
    ],
    [
      ['lists', 'list', '--output=ts'],
      ['words', '--output=tsv'],
    ],
    [['lists', 'list', '--search', ''], ['words']],
    [['lists', 'list', '--out', ''], ['files']],
    [['lists', 'list', '--out=my'], ['files --out=']],
    [['lists', 'pull', '--dir', ''], ['folders']],
    [
      ['lists', 'list', '--as'],
      ['words', '--as-of'],
    ],
    [
      ['lists', 'list', '--off'],
      ['words', '--offline'],
    ],
    [
      ['lists', 'list', '--mir'],
      ['words', '--mirror'],
    ],
    [['lists', 'list', '--as-of', ''], ['words']],
    [['lists', 'list', '--mirror', ''], ['folders']],
    [['mirror', 'sync', ''], ['folders']],
    [['entries', 'import', 'deals', ''], ['files']],
    [['metrics', 'diff', ''], ['files']],
    [['lists', 'create', 'x', '--data', '@f'], ['files @']],
    [['serve', '--seed', ''], ['files']],
    [
      ['serve', '--seed', 'd'],
      ['words', 'demo'],
    ],
    [['serve', '--', 'comem', ''], ['words']],
    [['nope', ''], ['words']],
    [['lists', 'nope', ''], ['words']],
  ])('of %j', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });

  test.each([
    [
      ['-p', 'de'],
      ['words', 'demo'],
    ],
    [
      ['-p', 'demo', '-c', 'lum'],
      ['words', 'lumen'],
    ],
    [
      ['-p', 'demo', 'metrics', 'series', '-c', '@'],
      ['words', '@portfolio'],
    ],
    [
      ['-p', 'demo', 'entries', 'list', 'dea'],
      ['words', 'deal-pipeline'],
    ],
    [
      ['-p', 'demo', 'lists', 'get', 'Deal'],
      ['words', 'Deal pipeline'],
    ],
    [
      ['-p', 'demo', 'entries', 'list', 'deal-pipeline', '--filter', 'stag'],
      ['open', 'stage='],
    ],
    [
      ['-p', 'demo', 'entries', 'list', 'Deal pipeline', '--filter', 'stage=S'],
      ['words', 'stage=Sourced', 'stage=Screening'],
    ],
    [
      ['entries', 'create', 'deal-pipeline', '-p', 'demo', '--set=stage=In'],
      ['words', '--set=stage=Invested'],
    ],
    [
      ['-p', 'demo', 'entries', 'list', 'deal-pipeline', '--where', 'stag'],
      ['open', 'stage'],
    ],
    [
      ['-p', 'demo', 'entries', 'list', 'deal-pipeline', '--sort', 'stage,tit'],
      ['words', 'stage,title'],
    ],
    [
      ['-p', 'demo', 'attrs', 'update', 'deal-pipeline', 'stag'],
      ['words', 'stage'],
    ],
    [
      ['-p', 'demo', 'attrs', 'update', 'deal-pipeline', 'stage', '--remove-option', 'In'],
      ['words', 'Invested'],
    ],
    [
      ['-p', 'demo', 'metrics', 'get', 'mr'],
      ['words', 'mrr', 'mrr_growth'],
    ],
    [
      ['-p', 'demo', 'metrics', 'series', '-m', 'arr,mr'],
      ['words', 'arr,mrr', 'arr,mrr_growth'],
    ],
    [['-p', 'demo', 'metrics', 'series', '-m', 'arr,ar'], ['words']],
    [
      ['-p', 'demo', 'metrics', 'table', '--versions', 'actual,b'],
      ['words', 'actual,budget'],
    ],
    [
      ['-p', 'demo', 'metrics', 'series', '--agg', 'mrr=s'],
      ['words', 'mrr=sum'],
    ],
    [
      ['-p', 'demo', 'profiles', 'use', 'd'],
      ['words', 'demo'],
    ],
    [
      ['-p', 'demo', 'companies', 'group', 'add', 'port'],
      ['words', 'portfolio'],
    ],
  ])('of names in %j', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });

  test('offers grants with what they are about', async () => {
    const text = await completionAnswer(['zsh', '--', '-p', 'demo', 'grants', 'revoke', ''], tree, env);
    expect(text.split('\n')[1]).toMatch(/^[0-9a-f-]{36}\t\S/);
  });

  test('knows every verb and every flag of the tree', async () => {
    for (const { path, flags } of await allCommands(tree)) {
      const words = path.split(' ');
      expect(await offered(...words), path).toContain(words.at(-1));
      expect((await offered(...words, '--')).length, path).toBeLessThan(15);
      for (const [key, { hidden }] of Object.entries(flags as Record<string, { hidden?: boolean }>)) {
        if (!hidden) expect(await offered(...words, longName(key)), path).toContain(longName(key));
      }
    }
  });

  test('offers no flag that does nothing', async () => {
    expect(await offered('serve', '--po')).toEqual(['words', '--port']);
    for (const flag of ['--limit', '--retries', '--dry-run', '--page-size']) {
      expect(await offered('serve', flag)).toEqual(['words']);
    }
    expect(await offered('lists', 'list', '--dry')).toEqual(['words']);
    expect(await offered('lists', 'create', 'x', '--dry')).toEqual(['words', '--dry-run']);
  });

  test('reads a file and nothing else: no request, no write, no text of an error', async () => {
    const before = readdirSync(home, { recursive: true }).sort();
    const { code, stdout, stderr, requests } = await run(
      ['__complete', 'zsh', '--', '-p', 'demo', '-c', 'nope', 'entries', 'list', ''],
      { env, tty: true },
    );
    expect({ code, stdout, stderr, requests }).toEqual({ code: 0, stdout: 'words\n', stderr: '', requests: [] });
    expect(readdirSync(home, { recursive: true }).sort()).toEqual(before);
  });

  test('is static where the settings or the names cannot be read', async () => {
    const broken = mkdtempSync(join(tmpdir(), 'comem-completion-'));
    const own = { XDG_CONFIG_HOME: broken, XDG_CACHE_HOME: broken };
    const { mkdirSync } = await import('node:fs');
    mkdirSync(join(broken, 'comem', 'completion'), { recursive: true });
    writeFileSync(join(broken, 'comem', 'config.json'), '{');
    for (const name of readdirSync(join(home, 'CACHE/comem/completion')))
      writeFileSync(join(broken, 'comem/completion', name), 'null{');
    expect(await completionAnswer(['zsh', '--', '-p', 'demo', 'entries', 'list', ''], tree, own)).toBe('words\n');
    expect(await completionAnswer(['zsh', '--', 'lists', 'cr'], tree, own)).toMatch(/^words\ncreate\t/);
    rmSync(broken, { recursive: true });
  });

  test('keeps the names that commands read, by company', async () => {
    const fresh = mkdtempSync(join(tmpdir(), 'comem-completion-'));
    const own = { ...env, XDG_CACHE_HOME: fresh };
    await run(['-p', 'demo', 'metrics', 'catalog', '-c', 'lumen'], { env: own });
    const of = (company: string) =>
      completionAnswer(['zsh', '--', '-p', 'demo', '-c', company, 'metrics', 'get', 'arr'], tree, own);
    expect(await of('lumen')).toBe('words\narr\tARR\n');
    expect(await of('tessera')).toBe('words\n');
    rmSync(fresh, { recursive: true });
  });
});

describe('words of a shell', () => {
  test.each([
    ['de', 'deal-pipeline', 'deal-pipeline'],
    ['Q', 'Q1: Joe\'s "x" $y', 'Q1:\\ Joe\\\'s\\ \\"x\\"\\ \\$y'],
    ['"Q', 'Q1: Joe\'s "x" $y', 'Q1: Joe\'s \\"x\\" \\$y'],
    ["'Q", "Q1: Joe's", "Q1: Joe'\\''s"],
    ['stage=Te', 'stage=Term sheet', 'stage=Term\\ sheet'],
    ['"stage=Te', 'stage=Term sheet', 'stage=Term sheet'],
    ['stage="Te', 'stage=Term sheet', 'Term sheet'],
    ['Q1:\\ J', 'Q1: Joe', 'Q1:\\ Joe'],
  ])('%s: %s is typed as %s', (before, word, typed) => {
    expect(bashWord(word, before)).toBe(typed);
  });

  // Debian has no PowerShell. A slip in a template breaks quotes and brackets, which need no grammar; the rest takes one.
  test('are asked for by a PowerShell script whose quotes and brackets are closed', () => {
    const script = completionScripts.powershell;
    const code = script.replace(/^\s*#.*$|'(?:[^']|'')*'|"(?:`.|[^"`])*"/gm, (text) => (/^['"]/.test(text) ? '0' : ''));
    expect(code).not.toMatch(/['"]/);
    const open: string[] = [];
    const pairs: Record<string, string> = { ')': '(', ']': '[', '}': '{' };
    for (const mark of code.match(/[()[\]{}]/g) ?? []) {
      if (mark in pairs) expect(open.pop()).toBe(pairs[mark]);
      else open.push(mark);
    }
    expect(open).toEqual([]);
    expect(code).toMatch(/^Register-ArgumentCompleter -Native -CommandName comem -ScriptBlock \{\n {2}param\(/m);
  });

  testIf(
    grammar !== undefined,
    'a PowerShell grammar: npm install --no-save --ignore-scripts web-tree-sitter tree-sitter-powershell',
  )('are asked for by a PowerShell script that its grammar takes', async () => {
    const { Language, Parser } = await import(grammar?.parser ?? '');
    await Parser.init();
    const parser = new Parser();
    parser.setLanguage(await Language.load(grammar?.language));
    const script = completionScripts.powershell;
    expect(parser.parse(script).rootNode.hasError).toBe(false);
    // What the balance of brackets does not tell.
    for (const slip of [script.replace('param(', 'param)('), script.replace('-ScriptBlock {', '-ScriptBlock { if {')]) {
      expect(slip).not.toBe(script);
      expect(parser.parse(slip).rootNode.hasError).toBe(true);
    }
  });

  test('are quoted for PowerShell', () => {
    expect(['mrr', "Joe's list", '@portfolio', 'a;b', '$x'].map(powershellWord)).toEqual([
      'mrr',
      "'Joe''s list'",
      "'@portfolio'",
      "'a;b'",
      "'$x'",
    ]);
  });
});

describe('completion install', () => {
  test.each([
    ['bash', '.bashrc'],
    ['zsh', '.zshrc'],
    ['fish', undefined],
  ])('changes what %s reads, once, and takes it back', async (shell, start) => {
    const user = mkdtempSync(join(tmpdir(), 'comem-home-'));
    const own = {
      HOME: user,
      SHELL: `/bin/${shell}`,
      XDG_CONFIG_HOME: join(user, 'c'),
      XDG_DATA_HOME: join(user, 'd'),
    };
    if (start) writeFileSync(join(user, start), 'alias ll=ls');
    const first = await run(['completion', 'install'], { env: own, tty: true });
    expect(first.code).toBe(0);
    expect(first.stderr).toContain('Added completion to');
    const text = start && readFileSync(join(user, start), 'utf8');
    const again = await run(['completion', 'install'], { env: own, tty: true });
    expect(again.stderr.match(/needs no change/g)).toHaveLength(1);
    if (start) {
      expect(text).toMatch(/^alias ll=ls\n# >>> comem/);
      expect(readFileSync(join(user, start), 'utf8')).toBe(text);
    }
    const removed = await run(['completion', 'uninstall'], { env: own, tty: true });
    expect(removed.stderr).toContain('Removed');
    if (start) expect(readFileSync(join(user, start), 'utf8')).toBe('alias ll=ls\n');
    rmSync(user, { recursive: true });
  });

  test('needs to know the shell', async () => {
    const { code, stderr } = await run(['completion', 'install'], { env: { SHELL: '/bin/tcsh' } });
    expect(code).toBe(2);
    expect(stderr).toContain('comem completion install bash');
  });
});
