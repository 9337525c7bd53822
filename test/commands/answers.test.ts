/**
 * No answer of a server makes a command crash, run for ever, or print what it did not see. Each line meets an 18th
 * of the changes of every answer that it gets; `COMEM_FAULTS=whole` tries all of them.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { allCommands } from '../../src/cli/tree.ts';
import { tree } from '../../src/main.ts';
import { cannedApi } from '../helpers/canned-api.ts';
import { commandFiles, commandLines } from '../helpers/command-lines.ts';
import { type Change, fieldChanges, suspicious } from '../helpers/mutations.ts';
import { run } from '../helpers/run.ts';

const isWhole = process.env.COMEM_FAULTS === 'whole';
const seed = Number(process.env.COMEM_TEST_SEED ?? 0);
/** Requests of one run, after which a server was followed too long. */
const maxRequests = 400;

// Of its own for each line: what earlier runs wrote down is read again by the next one.
let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'comem-answers-'));
  mkdirSync(join(cwd, 'code'));
  for (const [name, text] of Object.entries(commandFiles)) writeFileSync(join(cwd, name), text);
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

let count = 0;
afterAll(() => {
  process.stdout.write(`Answers: ${count} changed ones under ${commandLines.length} command lines, seed ${seed}\n`);
});

/** No answer of any operation; of a command that looks it up elsewhere, it may still be right. */
const whole: readonly Change[] = [{}, null, [null], { error: 'nope', status: 500 }].map(
  (value) => [JSON.stringify(value), () => value] as const,
);

/** @param change of the answers of one operation */
async function changed(argv: readonly string[], stdin?: string, change = (_: string, answer: unknown) => answer) {
  const stop = new AbortController();
  let asked = 0;
  const api = cannedApi(change);
  const result = await run(argv, {
    ...{ cwd, home: cwd, stdin, signal: stop.signal },
    transport(request) {
      asked += 1;
      if (asked > maxRequests) stop.abort();
      return api(request);
    },
  });
  return { ...result, asked };
}

/** What a run must not have done, whatever came. */
function wrong({ code, stdout, stderr, asked }: Awaited<ReturnType<typeof changed>>): string | undefined {
  if (asked > maxRequests) return `${asked} requests`;
  const odd = suspicious.exec(stdout + stderr);
  if (odd) return `exit ${code}, printed ${odd[0]}: ${(stdout + stderr).slice(0, 300)}`;
  return code === 70 || code === 5 ? `exit ${code}: ${stderr.slice(-300)}` : undefined;
}

it.each(commandLines.map(({ argv, stdin }, index) => [argv.join(' '), { argv, stdin, index }] as const))(
  '%s',
  async (_, { argv, stdin, index }) => {
    const valid = new Map<string, unknown>();
    const honest = await changed(argv, stdin, (op, answer) => {
      if (!valid.has(op)) valid.set(op, answer);
      return answer;
    });
    expect([0, argv[0] === 'doctor' ? 1 : 0], honest.stderr).toContain(honest.code);
    expect(wrong(honest)).toBeUndefined();
    expect(valid.size).toBeGreaterThan(0);
    const failing: string[] = [];
    for (const [op, answer] of valid) {
      if (answer === undefined) continue;
      for (const [says, make] of [...whole, ...fieldChanges(answer, isWhole ? undefined : index + seed)]) {
        count += 1;
        const found = wrong(await changed(argv, stdin, (id, given) => (id === op ? make(given) : given)));
        if (found !== undefined) failing.push(`${op} ${says}: ${found}`);
      }
    }
    expect(failing).toEqual([]);
  },
  120_000,
);

it.each(['growth', 'gaps', 'variance', 'table', 'chart', 'bridge'])(
  'metrics %s leaves out no row whose period cannot be read',
  async (verb) => {
    const months = ['--from', '2025-01', '--to', '2025-12'];
    const flags = verb === 'variance' ? ['--period', '2025-06'] : months;
    const argv = ['metrics', verb, '-m', 'mrr', ...flags];
    const change = (op: string, answer: unknown) =>
      op === 'getMetricSeries' ? JSON.parse(JSON.stringify(answer).replaceAll('2025-06', '2025-13')) : answer;
    const { code, stderr } = await changed(argv, undefined, change);
    expect([code, stderr]).toEqual([
      6,
      expect.stringContaining('must be a period such as 2006-01, 2006-Q1 or 2006, got "2025-13"'),
    ]);
  },
);

it.each([
  ['attrs delete deals stage --yes', 'getList', { name: undefined }, 0],
  ['metrics get mrr', 'getLiveMetrics', { metrics: { mrr: null } }, 3],
  [
    'published report c0ffee00-0000-4000-8000-000000000011',
    'getPublishedMetrics',
    { publication: { sentAt: null } },
    0,
  ],
])('%s ends as usual where %s answers %j', async (line, op, fields, code) => {
  const change = (id: string, answer: unknown) => (id === op ? { ...(answer as object), ...fields } : answer);
  const result = await changed(line.split(' '), undefined, change);
  expect(wrong(result)).toBeUndefined();
  expect([result.code, result.stderr]).toEqual([code, expect.not.stringContaining('bug')]);
});

it('every command that asks the API is among the lines', async () => {
  // `auth login` asks a person, `sql` starts an engine, `undo` reads earlier runs (tampered-files.test.ts), and
  // `changes` reads what `mirror sync` wrote, by the same requests.
  const left = ['sql', 'changes', 'undo', 'auth login'];
  const asking = (await allCommands(tree)).filter(({ operations }) => operations.length > 0).map(({ path }) => path);
  const missing = asking.filter(
    (path) => !commandLines.some(({ argv }) => `${argv.join(' ')} `.startsWith(`${path} `)),
  );
  expect(missing).toEqual(left);
});
