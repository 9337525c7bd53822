// Wall time and memory of commands, run in turn round by round.
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'comem-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

export const scratch = folder;

// What makes every start of Node slower on both sides hides what is measured.
const { NODE_EXTRA_CA_CERTS: _a, NODE_OPTIONS: _b, NODE_COMPILE_CACHE: _c, ...inherited } = process.env;
const own = Object.entries(inherited).filter(([name]) => !name.startsWith('COMEM_'));
const xdg = Object.fromEntries(
  ['CONFIG', 'DATA', 'CACHE', 'STATE'].map((kind) => [`XDG_${kind}_HOME`, join(folder, kind)]),
);
export const environment = { ...Object.fromEntries(own), ...xdg };

export function has(tool) {
  return (process.env.PATH ?? '').split(delimiter).some((place) => {
    try {
      accessSync(join(place, tool), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Milliseconds of one run; its output goes nowhere. `expected` is its exit code. */
export function time({ argv, env = {}, expected = 0 }) {
  return new Promise((resolve, reject) => {
    const began = process.hrtime.bigint();
    const child = spawn(argv[0], argv.slice(1), { env: { ...environment, ...env }, stdio: 'ignore' });
    child.on('error', reject);
    child.on('exit', (code) => {
      const took = Number(process.hrtime.bigint() - began) / 1e6;
      if (code === expected) resolve(took);
      else reject(new Error(`${argv.join(' ')} ended with ${code}, not with ${expected}`));
    });
  });
}

/**
 * Runs the commands interleaved. Every round gives each command's ratio to the command that it names as `floor`.
 * @returns by name: median milliseconds and median ratios, by the name of the floor
 */
export async function compare(commands, { rounds, warmups = 2, onRound = () => {} }) {
  const times = new Map(commands.map(({ name }) => [name, []]));
  for (let round = -warmups; round < rounds; round++) {
    onRound(round, rounds);
    for (const command of commands) {
      const took = await time(command);
      if (round >= 0) times.get(command.name).push(took);
    }
  }
  const ratio = (name, floor) => median(times.get(name).map((took, round) => took / times.get(floor)[round]));
  return { ms: (name) => median(times.get(name)), ratio };
}

export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const hook = new URL('memory.cjs', import.meta.url).pathname;

/** The largest resident memory of a Node program, in MiB; not a number when it fails. */
export function memory({ argv, env = {} }) {
  const file = join(folder, 'memory');
  const watched = { ...environment, ...env, NODE_OPTIONS: `--require ${hook}`, COMEM_MEMORY: file };
  rmSync(file, { force: true });
  const { status, stderr } = spawnSync(argv[0], argv.slice(1), { env: watched, stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0) process.stderr.write(stderr);
  return status === 0 && existsSync(file) ? Number(readFileSync(file, 'utf8')) / 1024 : Number.NaN;
}
