/** The examples of the help texts run as they are printed, each on a demo database of its own. */

import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { binary, cli, finished, temporaryFolder } from '../helpers/cli.ts';

interface Tree {
  nouns: { commands: { path: string; examples: { run: string }[] }[] }[];
}

/** What examples say comes before them. */
const before: readonly (readonly [RegExp, string])[] = [
  [/ lists (plan|apply|diff .*\.yaml)/, 'comem -p demo lists pull -d lists'],
  [/ undo /, 'for n in $(seq 12); do comem -p demo lists update hiring --description "Trial $n"; done'],
];

test('every example on the demo profile does what it says', { timeout: 300_000 }, async () => {
  const folder = temporaryFolder();
  const seeded = join(folder, 'seeded');
  mkdirSync(seeded);
  expect((await cli(['-p', 'demo', 'lists', 'list'], { home: seeded })).code).toBe(0);
  const company = '11111111-1111-4111-8111-111111111111';
  expect((await cli(['-p', 'demo', 'companies', 'add', 'acme', company], { home: seeded })).code).toBe(0);
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/comem'), `#!/bin/sh\nexec '${process.execPath}' '${binary}' "$@"\n`, { mode: 0o755 });

  const tree = JSON.parse((await cli(['help', '--json'])).stdout) as Tree;
  const examples = tree.nouns.flatMap(({ commands }) =>
    commands.flatMap((command) => command.examples.map(({ run }) => run)),
  );
  const ours = [...new Set(examples)].filter((run) => run.startsWith('comem -p demo '));
  expect(ours.length).toBeGreaterThan(60);

  const failed: string[] = [];
  const left = ours.map((run, index) => ({ run, home: join(folder, String(index)) }));
  const worker = async () => {
    for (let each = left.pop(); each !== undefined; each = left.pop()) {
      const { run, home } = each;
      cpSync(seeded, home, { recursive: true });
      // Node 22 copies a folder without its mode, and `doctor` looks at that one.
      chmodSync(join(home, 'config/comem'), 0o700);
      const xdg = Object.fromEntries(
        ['CONFIG', 'DATA', 'CACHE', 'STATE'].map((kind) => [`XDG_${kind}_HOME`, join(home, kind.toLowerCase())]),
      );
      const env = { ...xdg, HOME: home, PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
      const bash = (line: string) => finished(spawn('bash', ['-o', 'pipefail', '-c', line], { cwd: home, env }));
      for (const [pattern, line] of before) if (pattern.test(run)) await bash(line);
      const { code, stderr } = await bash(run);
      if (code !== 0) failed.push(`${run}\n  ended with ${code}: ${stderr.trim()}`);
    }
  };
  await Promise.all([worker(), worker(), worker()]);
  expect(failed).toEqual([]);
});
