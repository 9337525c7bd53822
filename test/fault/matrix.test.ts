/**
 * Each fault under each command: it ends, with an exit code that is right for the fault, and with exit 0 only where the
 * output is that of an honest server. A twentieth of the pairs, by COMEM_TEST_SEED; `COMEM_FAULTS=whole` takes all
 * pairs, and every fault. Counts are printed.
 */
import { mkdtempSync, readdirSync, rmSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type RunResult, run } from '../helpers/run.ts';
import { type Command, commands, prepare } from './commands.ts';
import { allFaults, type Fault, faults, kinds } from './faults.ts';
import { type FaultServer, faultServer, ids, send } from './honest.ts';

const isWhole = process.env.COMEM_FAULTS === 'whole';
const chosen = isWhole ? allFaults : faults;
const seed = Number(process.env.COMEM_TEST_SEED ?? 0);
/** Runs side by side: most of a run is waiting. */
const lanes = 6;
/** Requests of one run, after which a server was followed too long. */
const maxRequests = 400;

const secrets = { COMEM_API_KEY: 'cmk_fault-0123456789abcdef', COMEM_SESSION_COOKIE: 'sid=fault-0123456789abcdef' };
const folders: string[] = [];
const servers: FaultServer[] = [];
afterAll(async () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  await Promise.all(servers.map((server) => server.close()));
});

type Lane = (command: Command, fault?: Fault) => Promise<RunResult & { asked: number }>;

async function lane(): Promise<Lane> {
  const server = await faultServer();
  servers.push(server);
  const home = mkdtempSync(join(tmpdir(), 'comem-fault-'));
  folders.push(home);
  const env = {
    ...secrets,
    COMEM_BASE_URL: server.url,
    COMEM_COMPANY_ID: ids.company,
    COMEM_RETRIES: '0',
    COMEM_TIMEOUT: '0.4',
    COMEM_MAX_RESPONSE: '1',
  };
  return async ({ argv }, fault) => {
    removeFiles(home);
    prepare(home);
    server.behave(fault?.respond ?? send);
    // Whatever is answered gets all the time of a busy machine.
    const own = fault?.silent ? env : { ...env, COMEM_TIMEOUT: '60' };
    const result = await run(argv, { network: true, env: own, home, cwd: home, now: '2024-11-05T00:00:00Z' });
    return { ...result, asked: server.requests() };
  };
}

/** A home as new, except for empty folders: to make and remove those again takes longer than many a run. */
function removeFiles(folder: string): void {
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!file.isDirectory()) unlinkSync(join(file.parentPath, file.name));
  }
}

/** What is wrong with how a command ended; undefined: nothing. */
function wrong(
  { argv, also = [], blind, needs = [] }: Command,
  fault: Fault,
  got: RunResult & { asked: number },
  honest: RunResult,
): string | undefined {
  const same = got.code === honest.code && timeless(got.stdout) === timeless(honest.stdout);
  const right: readonly number[] = [...kinds[fault.kind], ...also];
  const said = `${argv.slice(0, 2).join(' ')} under ${fault.name}: exit ${got.code}, ${got.stderr.slice(0, 200)}`;
  if (Object.values(secrets).some((secret) => (got.stdout + got.stderr).includes(secret))) return `a secret: ${said}`;
  if (got.asked > maxRequests) return `${got.asked} requests: ${said}`;
  if (needs.some((field) => fault.name === `no ${field}`)) {
    return got.code === 6 && got.stderr.includes('comem needs') ? undefined : `not refused: ${said}`;
  }
  if (same || blind?.test(fault.name)) return undefined;
  if (fault.kind === 'lacking' && got.code === 0) return undefined;
  if (fault.kind === 'harmless') return `not as usual: ${said}`;
  if (got.code === 0) return `another output: ${said}${got.stdout.slice(0, 200)}`;
  if (!right.includes(got.code)) return `not one of ${right}: ${said}`;
  return got.stderr === '' ? `without a word: ${said}` : undefined;
}

/** Reports say how long a check took. */
function timeless(text: string): string {
  return text.replace(/\d+(\.\d+)? m?s\b/g, 'some time');
}

test(`${chosen.length} faults under ${commands.length} commands`, async () => {
  const running = await Promise.all(Array.from({ length: lanes }, lane));
  const [first] = running;
  const honest = new Map<Command, RunResult>();
  for (const command of commands) {
    const result = await first?.(command);
    expect(result, command.argv.join(' ')).toMatchObject({ code: 0 });
    if (result) honest.set(command, result);
  }
  const pairs = chosen.flatMap((fault) => commands.map((command) => ({ fault, command })));
  const cases = isWhole ? pairs : pairs.filter((_, at) => at % 20 === seed % 20);
  const runs = cases.length;
  const counts = new Map<number, number>();
  const failed: string[] = [];
  await Promise.all(
    running.map(async (one) => {
      for (let next = cases.pop(); next; next = cases.pop()) {
        const got = await one(next.command, next.fault);
        counts.set(got.code, (counts.get(got.code) ?? 0) + 1);
        const says = wrong(next.command, next.fault, got, honest.get(next.command) as RunResult);
        if (says !== undefined) failed.push(says);
      }
    }),
  );
  const byCode = [...counts].sort(([a], [b]) => a - b).map(([code, count]) => `exit ${code}: ${count}`);
  process.stdout.write(
    `\nFaults: ${chosen.length} × ${commands.length} commands, ${runs} runs, ` +
      `${failed.length} failed (${byCode.join(', ')})\n`,
  );
  expect(failed.sort()).toEqual([]);
}, 900_000);
