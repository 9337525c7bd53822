import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { completionScript, type Shell } from '../../src/cli/completion/index.ts';
import { allCommands } from '../../src/cli/tree.ts';
import { tree } from '../../src/main.ts';
import { testWith } from '../helpers/tools.ts';

let folder: string;
const scripts = new Map<Shell, string>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'comem-completion-'));
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    const file = join(folder, `comem.${shell}`);
    writeFileSync(file, await completionScript(tree, shell));
    scripts.set(shell, file);
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What bash offers for the last word of a line. */
function bash(line: string): string[] {
  const words = line.split(' ').map((word) => `'${word}'`);
  const program = `source '${scripts.get('bash')}'; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _comem; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', program], { encoding: 'utf8' }).split('\n').filter(Boolean).sort();
}

function fish(line: string): string[] {
  const program = `source '${scripts.get('fish')}'; complete -C '${line}'`;
  const output = execFileSync('fish', ['--no-config', '-c', program], {
    encoding: 'utf8',
    env: { ...process.env, HOME: folder },
  });
  return output
    .split('\n')
    .filter(Boolean)
    .map((offer) => offer.split('\t')[0] ?? '')
    .sort();
}

describe('bash', () => {
  const offers = testWith('bash');

  offers('offers nouns, verbs and flags where they fit', () => {
    expect(bash('comem ')).toEqual(expect.arrayContaining([...Object.keys(tree.nouns), 'serve']));
    expect(bash('comem li')).toEqual(['lists']);
    expect(bash('comem lists c')).toEqual(['copy', 'create']);
    expect(bash('comem -o json lists --profile demo c')).toEqual(['copy', 'create']);
    expect(bash('comem metrics prefs ')).toEqual(['get', 'set']);
    expect(bash('comem entries list --arch')).toEqual(['--archived', '--archived-only']);
    expect(bash('comem entries ls --arch')).toEqual(['--archived', '--archived-only']);
    expect(bash('comem help ex')).toEqual(['exit-codes']);
    expect(bash('comem completion ')).toEqual(['bash', 'fish', 'zsh']);
  });

  offers('offers the values of flags that take one of a few, also after an equals sign', () => {
    expect(bash('comem lists list -o t')).toEqual(['table', 'tsv']);
    expect(bash('comem lists list --output = ts')).toEqual(['tsv']);
    expect(bash('comem lists list --search ')).toEqual([]);
  });

  offers('knows every verb of the tree', async () => {
    for (const { path } of await allCommands(tree)) {
      const words = path.split(' ');
      expect(bash(`comem ${path}`), path).toContain(words.at(-1));
    }
  });
});

describe('fish', () => {
  const offers = testWith('fish');

  offers('offers nouns, verbs, flags and their values', () => {
    expect(fish('comem ')).toEqual(expect.arrayContaining(Object.keys(tree.nouns)));
    expect(fish('comem lists c')).toEqual(['copy', 'create']);
    expect(fish('comem -o json lists ls --sea')).toEqual(['--search']);
    expect(fish('comem lists list -o t')).toEqual(['table', 'tsv']);
  });
});

describe('zsh', () => {
  testWith('zsh')('reads the script without a complaint', () => {
    const program = `autoload -Uz compinit && compinit -D -u && source '${scripts.get('zsh')}' && print -r -- $_comps[comem]`;
    const output = execFileSync('zsh', ['-f', '-c', program], {
      encoding: 'utf8',
      env: { ...process.env, HOME: folder },
    });
    expect(output.trim()).toBe('_comem');
  });

  testWith('zsh')('offers words by where they stand', () => {
    // The functions of zsh's completion system that the script calls, printing instead of offering.
    const stubs = `compdef() {}; _describe() { shift; [[ $1 == flag ]] && shift; print -rl -- "\${(@P)1}"; true; }; _files() { print FILES; }; _message() { print VALUE; }; compadd() { shift; print -rl -- "$@"; }`;
    const offer = (...words: string[]) => {
      const program = `${stubs}; source '${scripts.get('zsh')}'; words=(${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length}; _comem`;
      return execFileSync('zsh', ['-f', '-c', program], { encoding: 'utf8' }).split('\n').filter(Boolean);
    };
    expect(offer('comem', 'lists', '').map((line) => line.split(':')[0])).toContain('create');
    expect(offer('comem', 'lists', 'list', '-o', '')).toContain('ndjson');
    expect(offer('comem', 'lists', 'list', '--out', '')).toEqual(['FILES']);
    expect(offer('comem', 'lists', 'list', '--search', '')).toEqual(['VALUE']);
  });
});

test('no shell may run what a summary says', async () => {
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    const script = await completionScript(tree, shell);
    expect(script.replace(/'(?:[^'\\]|\\.|'\\'')*'/g, '')).not.toContain('`');
  }
});
