/**
 * What comem keeps between runs, changed by somebody: baselines, marks of `--changed-since last`. Each is
 * refused in a sentence, or makes no difference.
 */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { metricsWorld, type World } from '../helpers/metrics-world.ts';
import { fieldChanges, suspicious } from '../helpers/mutations.ts';
import { type RunResult, run } from '../helpers/run.ts';

let home: string;
let world: World;
beforeAll(async () => {
  world = await metricsWorld();
});
afterAll(() => world.close());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'comem-state-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Everything that may stand where the file was: its name, and what puts it there. */
function tamperings(file: string): [name: string, make: () => void][] {
  const good = readFileSync(file);
  const text = good.toString();
  const value: unknown = JSON.parse(text);
  const put = (name: string, made: string | Buffer): [string, () => void] => [name, () => writeFileSync(file, made)];
  const cuts = Array.from({ length: 24 }, (_, n) => Math.floor((good.length * n) / 24));
  const flips = Array.from({ length: 40 }, (_, n) => Math.floor((good.length * n) / 40));
  return [
    ...cuts.map((length) => put(`cut to ${length} bytes`, good.subarray(0, length))),
    ...flips.map((at) => {
      const made = Buffer.from(good);
      made[at] = (made[at] as number) ^ 1;
      return put(`another byte ${at}`, made);
    }),
    ...fieldChanges(value).map(([says, change]) => put(says, JSON.stringify(change(value)) ?? '')),
    ...['', '\0', '{}', '[]', 'null', '7', '"text"', '[{}]', '{"version":2}', '{"version":99,"comem":"baseline"}'].map(
      (made) => put(JSON.stringify(made), made),
    ),
    put('NUL bytes', Buffer.alloc(good.length)),
    put('a NUL behind it', Buffer.concat([good, Buffer.alloc(1)])),
    put('it twice', text + text),
    put('UTF-16', Buffer.from(text, 'utf16le')),
    put('other years', text.replaceAll(/20\d\d/g, '2093')),
    put(
      'other numbers',
      text.replaceAll(/\d+/g, (number) => `${number}1`),
    ),
    put('50,000 brackets', '['.repeat(50_000)),
    ['a folder', () => mkdirSync(file)],
    ['a link to nothing', () => symlinkSync(join(home, 'nowhere'), file)],
    ['a link to itself', () => symlinkSync(file, file)],
    ['a link to a device', () => symlinkSync('/dev/null', file)],
    [
      'a huge file',
      () => {
        writeFileSync(file, good);
        truncateSync(file, 2 ** 32);
      },
    ],
  ];
}

/** Runs with each, and gives what went wrong. `same`: the run is right although the file says something else. */
async function failures(
  file: string,
  use: () => Promise<RunResult>,
  same: (result: RunResult) => boolean,
): Promise<{ count: number; failing: string[] }> {
  const all = tamperings(file);
  const kept = `${file}.kept`;
  copyFileSync(file, kept);
  const failing: string[] = [];
  for (const [name, make] of all) {
    rmSync(file, { recursive: true, force: true });
    make();
    const result = await use();
    const { code, stdout, stderr } = result;
    const refused = code === 2 && stdout === '' && stderr.startsWith('comem: ') && !suspicious.test(stderr);
    if (!refused && !same(result)) failing.push(`${name}: exit ${code} ${stderr.slice(-200)} ${stdout.slice(0, 200)}`);
    rmSync(file, { recursive: true, force: true });
    copyFileSync(kept, file);
  }
  return { count: all.length, failing };
}

it('a mark of --changed-since', async () => {
  const argv = ['entries', 'list', 'hiring', '--changed-since', 'last', '--fields', 'title', '-o', 'csv'];
  await run(argv, { home });
  const [file = ''] = readdirSync(home, { recursive: true, encoding: 'utf8' })
    .map((name) => join(home, name))
    .filter((name) => /marks\/.*\.json$/.test(name) && statSync(name).isFile());
  const { count, failing } = await failures(
    file,
    () => run(argv, { home }),
    ({ code, stdout, stderr }) => code === 0 && !suspicious.test(stdout + stderr),
  );
  expect(failing).toEqual([]);
  expect(count).toBeGreaterThan(90);
}, 120_000);

it('a baseline', async () => {
  const [checks, file] = [join(home, 'checks.yaml'), join(home, 'known.json')];
  writeFileSync(checks, 'version: 1\nchecks:\n  - {list: hiring, expect: [row(title = "nobody"), count < 3]}\n');
  const argv = ['check', '-f', checks, '--baseline', file, '-o', 'csv'];
  expect((await run([...argv, '--update-baseline'], { home })).code).toBe(0);
  expect((await run(argv, { home })).code).toBe(0);
  const { count, failing } = await failures(
    file,
    () => run(argv, { home }),
    // What a person takes out of a baseline is a new finding.
    ({ code, stdout, stderr }) => (code === 0 || code === 1) && !suspicious.test(stdout + stderr),
  );
  expect(failing).toEqual([]);
  expect(count).toBeGreaterThan(90);
}, 60_000);
