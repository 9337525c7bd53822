/** The examples of help, README and docs: what they are, and what those need that a fresh home with the demo lacks. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** An example that no test can run as printed: what it needs, and the test file that tries the same. */
export const needy: readonly (readonly [example: RegExp, needs: string, triedIn: string])[] = [
  [/^comem (-p staging )?lists (diff|copy) .*(staging|production)/, 'two accounts', 'test/commands/lists/copy.test.ts'],
  [/^comem init$/, 'a terminal', 'test/commands/init.test.ts'],
  [/^comem init .*--base-url/, 'an account', 'test/commands/init.test.ts'],
  [/^comem auth login( --profile work)?$/, 'a terminal', 'test/commands/auth/terminal.test.ts'],
  [/^comem auth login .*--(stdin|key-command)/, 'an account', 'test/commands/auth/login.test.ts'],
  [/^comem auth (logout|status --check)/, 'an account', 'test/commands/auth/status.test.ts'],
  [/^comem profiles delete acme$/, 'a terminal', 'test/commands/profiles/profiles.test.ts'],
  [/postgres:\/\/|^createdb|^comem server start --seed none/, 'PostgreSQL', 'test/commands/server/postgres.test.ts'],
  [/^comem serve( |$)(?!.*-- comem)/, 'a process that keeps running', 'test/commands/server/serve.test.ts'],
  [/^comem server (load plan|keys revoke 4f)/, 'ids of a database', 'test/commands/server/database.test.ts'],
  [/^comem server reset --dir/, 'a terminal', 'test/commands/server/database.test.ts'],
  [/^source <\(comem completion zsh/, 'zsh', 'test/cli/completion.test.ts'],
  [/Invoke-Expression$/, 'PowerShell', 'test/cli/completion.test.ts'],
  [/\| mlr |\| jq |^duckdb|^soffice/, 'another program', 'test/interop/recipes.test.ts'],
  [
    /^comem api (GET \/api\/rooms|GET \/api\/lists -q companyId="\$ID"|POST .*grant\.json)/,
    'an account',
    'test/commands/api/api.test.ts',
  ],
  [
    /^set -euo pipefail$|^for profile in|^comem -p "\$profile" |^done$/,
    'two accounts',
    'test/commands/grants/choose.test.ts',
  ],
  [/^npm /, 'a clone', 'test/e2e/build.test.ts'],
];

/** Each line of the `sh` blocks of a document, block by block; a comment at its end is left out. */
export function blocksOf(document: string): string[][] {
  const text = readFileSync(join(root, document), 'utf8');
  return [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) =>
    block
      .replaceAll('\\\n', ' ')
      .split('\n')
      .map((line) => line.replace(/\s+#\s.*$/, '').trim())
      .filter((line) => line !== '' && !line.startsWith('#')),
  );
}

/** The documents for users. */
export const documents = [
  'README.md',
  ...readdirSync(join(root, 'docs')).flatMap((name) => (name.endsWith('.md') ? `docs/${name}` : [])),
];

export function isNeedy(example: string): boolean {
  return needy.some(([pattern]) => pattern.test(example));
}

/** The words of a line that is one command without shell syntax; undefined for any other line. */
export function wordsOf(line: string): string[] | undefined {
  const words: string[] = [];
  let rest = line.trim();
  while (rest !== '') {
    const match = /^(?:'[^']*'|"[^"$`\\]*"|[^\s'"|&;<>()$`\\*?~#])+(?=\s|$)/.exec(rest);
    if (!match) return undefined;
    words.push(match[0].replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double));
    rest = rest.slice(match[0].length).trimStart();
  }
  return words;
}
