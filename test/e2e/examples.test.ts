/**
 * The examples of help, man pages, README and docs run as they are printed, each in a fresh home with the demo. Every
 * second one of help, and those of README: `COMEM_FAULTS=whole` tries all.
 */

import { spawn } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/core/sqlite.ts';
import { binary, builtProgram, builtSqlEngine, cli, finished, temporaryFolder } from '../helpers/cli.ts';
import { blocksOf, documents, isNeedy, needy, wordsOf } from '../helpers/examples.ts';
import { run } from '../helpers/run.ts';

interface Tree {
  nouns: { commands: { path: string; examples: { run: string }[] }[] }[];
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = temporaryFolder();

/** What examples say comes before them. */
const before: readonly (readonly [RegExp, string])[] = [
  [/ check (lint )?pipeline\.yaml/, 'cp comem.checks.yaml pipeline.yaml'],
  [/ lists (plan|apply|diff .*\.yaml)/, 'comem -p demo lists pull -d lists'],
  [/ mirror (status|log|verify|prune) /, 'comem -p demo mirror sync mirror'],
  [/ undo( |$)/, 'for n in $(seq 12); do comem -p demo lists update hiring --description "Trial $n"; done'],
  [
    /march\.csv/,
    'comem metrics series --to 2026-01 --out march.csv; comem metrics series --to 2026-01 --out april.csv',
  ],
  [
    / import companies | dedupe companies /,
    'comem lists create Companies; comem attrs create companies Website --type url',
  ],
  [/ deals\.xlsx /, 'comem entries list deal-pipeline --limit 5 --out deals.xlsx'],
  [/ check init .*--out comem\.checks\.yaml/, 'rm comem.checks.yaml'],
  [/ --mode sync/, 'comem entries list deal-pipeline --limit 5 --out deals.csv'],
  [/^(?!comem init).* --dir \.\/data|embedded:\.\/data|--from \.\/data/, 'comem server load team.yaml --dir ./data'],
  [/^comem -p my-co metrics load /, "comem init --company 'My Co' && cp points.csv plan.csv"],
  [/ known\.json/, 'comem check --baseline known.json --update-baseline'],
  ...['work', 'default', 'acme'].map(
    (name) =>
      [
        new RegExp(` profiles (use|set|rename|delete) ${name}( |$)`),
        `comem server credentials --jq '.[0].credential' | comem auth login -p ${name} --base-url embedded: --stdin key`,
      ] as const,
  ),
  [/group remove software/, 'comem companies group add software lumen'],
];

/** Exit codes that say no: a comparison or a check found something. */
const mayBeNo = /--exit-code|--fail-on|comem doctor|comem check(?! lint)|--fail-empty/;

/** One company of the demo's portfolio has ended its grant: the others are read, and the exit code says so. */
const isPartial = /published diff @portfolio/;

const tree = async () => JSON.parse((await cli(['help', '--json'])).stdout) as Tree;

const helpExamples = async () => [
  ...new Set(
    (await tree()).nouns.flatMap(({ commands }) => commands.flatMap(({ examples }) => examples.map((one) => one.run))),
  ),
];

async function seededHome(): Promise<string> {
  const seeded = join(folder, 'seeded');
  mkdirSync(seeded);
  expect((await cli(['-p', 'demo', 'lists', 'list'], { home: seeded })).code).toBe(0);
  // The demo's past is made when it is first asked for, which takes longer than most examples.
  expect((await cli(['-p', 'demo', 'lists', 'list', '--as-of', '2025-06-30'], { home: seeded })).code).toBe(0);
  const company = '11111111-1111-4111-8111-111111111111';
  expect((await cli(['-p', 'demo', 'companies', 'add', 'acme', company], { home: seeded })).code).toBe(0);
  writeFileSync(
    join(seeded, 'deals.csv'),
    'Company,website,stage\nAcme,https://acme.example,Sourced\nBeta,https://beta.example,Sourced\n',
  );
  writeFileSync(join(seeded, 'points.csv'), 'period,mrr\n2026-01,5\n');
  writeFileSync(join(seeded, 'rates.csv'), 'date,currency,rate\n2025-12-31,USD,1.1750\n');
  const people = 'users:\n  - {email: ann@acme.example, companies: [acme]}\n';
  writeFileSync(join(seeded, 'team.yaml'), `companies:\n  - {slug: acme, name: Acme}\n${people}`);
  const checks = 'version: 1\nchecks:\n  - list: hiring\n    tags: [nightly]\n    expect: [count >= 10]\n';
  writeFileSync(join(seeded, 'comem.checks.yaml'), checks);
  copyFileSync(join(root, 'test/data/sp500-constituents.csv'), join(seeded, 'constituents.csv'));
  copyFileSync(join(root, 'test/data/us-employment.csv'), join(seeded, 'us-employment.csv'));
  writeFileSync(join(seeded, 'fixtures.yaml'), (await cli(['server', 'dump', '-p', 'demo'], { home: seeded })).stdout);
  for (const name of ['demo/comem.db', 'demo-mirror-2/mirror.db']) await compact(join(seeded, 'data/comem', name));
  mkdirSync(join(seeded, '.config/fish/completions'), { recursive: true });
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/comem'), `#!/bin/sh\nexec '${process.execPath}' '${binary}' "$@"\n`, { mode: 0o755 });
  return seeded;
}

/** Moves what SQLite keeps beside a database into it, so that a copy is half as large. */
async function compact(database: string): Promise<void> {
  const db = await openDatabase(database);
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
}

/** A line that takes longer waits for something that nobody gives. */
const patienceMs = 60_000;

const program = builtProgram();

type Ended = { code: number | null; stdout: string; stderr: string };

/** Runs lines in the home: one command in this process, anything else in bash. */
function linesIn(home: string): (line: string) => Promise<Ended> {
  const xdg = Object.fromEntries(
    ['CONFIG', 'DATA', 'CACHE', 'STATE'].map((kind) => [`XDG_${kind}_HOME`, join(home, kind.toLowerCase())]),
  );
  const own = { SHELL: '/bin/bash', COMEM_PROFILE: 'demo' };
  const env = { ...xdg, ...own, HOME: home, PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
  const none = { COMEM_BASE_URL: undefined, COMEM_COMPANY_ID: undefined, COMEM_NOW: undefined };
  const runs = (line: string): Promise<Ended> => {
    const words = wordsOf(line);
    if (words?.[0] !== 'comem' || words.includes('--')) {
      const stdio = ['ignore', 'pipe', 'pipe'] as const;
      return finished(spawn('bash', ['-o', 'pipefail', '-c', line], { cwd: home, env, stdio: [...stdio] }));
    }
    const here = { network: true, program, sqlEngine: builtSqlEngine, home, cwd: home };
    return run(words.slice(1), { ...here, env: { ...none, ...own } });
  };
  return (line) => {
    const late = { code: null, stdout: '', stderr: `still runs after ${patienceMs / 1000} s` };
    return Promise.race([runs(line), sleep(patienceMs, late, { ref: false })]);
  };
}

/** A copy that is as old as the home: a fresh one for each block. */
function copied(home: string, to: string): string {
  cpSync(home, to, { recursive: true });
  // Node 22 copies a folder without its mode, and `doctor` looks at that one.
  chmodSync(join(to, 'config/comem'), 0o700);
  return to;
}

/** Homes in which what comes before was run; blocks that need the same get copies of one. */
class Homes {
  private readonly made = new Map<string, Promise<string>>();

  constructor(private readonly seeded: string) {}

  after(lines: readonly string[]): Promise<string> {
    if (lines.length === 0) return Promise.resolve(this.seeded);
    const key = lines.join('\n');
    const home = this.made.get(key) ?? this.make(lines, join(folder, `after-${this.made.size}`));
    this.made.set(key, home);
    return home;
  }

  private async make(lines: readonly string[], to: string): Promise<string> {
    const runs = linesIn(copied(this.seeded, to));
    for (const line of lines) {
      const { code, stderr } = await runs(line);
      if (code !== 0) throw new Error(`${line} ended with ${code}: ${stderr}`);
    }
    return to;
  }
}

/** Gives the lines that failed. Lines of one block share a home. */
async function failures(blocks: readonly (readonly string[])[], homes: Homes, name: string): Promise<string[]> {
  const failed: string[] = [];
  const left = blocks.map((lines, index) => ({ lines, to: join(folder, `${name}-${index}`) }));
  const worker = async () => {
    for (let each = left.pop(); each !== undefined; each = left.pop()) {
      const open = each.lines.filter((line) => !isNeedy(line));
      if (open.length === 0) continue;
      const first = before.flatMap(([pattern, line]) => (open.some((one) => pattern.test(one)) ? [line] : []));
      const home = copied(await homes.after(first), each.to);
      const runs = linesIn(home);
      const shell = open.some((line) => /^\w+=|"\$\w+"/.test(line));
      for (const line of shell ? [open.join(' && ')] : open) {
        const { code, stdout, stderr } = await runs(line);
        const no = code === 1 && mayBeNo.test(line);
        const partial = code === 7 && isPartial.test(line);
        if (code !== 0 && !no && !partial) failed.push(`${line}\n  ended with ${code}: ${stderr.trim()}`);
        if (/^(?:null\s*)+$/.test(stdout)) failed.push(`${line}\n  prints null`);
      }
      // All of them together are gigabytes.
      rmSync(home, { recursive: true, force: true });
    }
  };
  await Promise.all([worker(), worker()]);
  return failed;
}

test('examples of help, README and docs do what they say', { timeout: 300_000 }, async () => {
  const homes = new Homes(await seededHome());
  const help = (await helpExamples()).map((text) => text.split('\n'));
  expect(help.length).toBeGreaterThan(120);
  const isWhole = process.env.COMEM_FAULTS === 'whole';
  const tried = help.filter((_, index) => isWhole || index % 2 === 0);
  expect(await failures(tried, homes, 'help')).toEqual([]);
  const blocks = (isWhole ? documents : ['README.md']).flatMap(blocksOf);
  expect(documents.flatMap(blocksOf).flat().length).toBeGreaterThan(50);
  expect(await failures(blocks, homes, 'docs')).toEqual([]);
});

test('what needs more than the demo is still an example, and tried by a test', async () => {
  const all = [...(await helpExamples()), ...documents.flatMap(blocksOf).flat()];
  const gone = needy.filter(
    ([pattern, , file]) => !all.some((one) => pattern.test(one)) || !existsSync(join(root, file)),
  );
  expect(gone).toEqual([]);
  expect(all.filter(isNeedy).length).toBeLessThan(all.length / 3);
});
