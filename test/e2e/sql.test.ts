/** `comem sql` as a process: its end under signals and time-outs, and the engine without its parent. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { cli, finished, start, temporaryFolder } from '../helpers/cli.ts';

const endless = 'with recursive c(x) as (select 1 union all select x + 1 from c) select max(x) from c';

/** The engines of the process. */
function engines(pid: number | undefined): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number) : [];
}

function isAlive(pid: number): boolean {
  // An orphan that nobody waits for stays as a zombie.
  const status = `/proc/${pid}/status`;
  return existsSync(status) && !/^State:\s+Z/m.test(readFileSync(status, 'utf8'));
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(20);
}

/** Whether the process computes: the statement runs. */
function hasComputed(pid: number): boolean {
  const [, times = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  return Number(times.split(' ')[11]) > 40;
}

describe('a statement that runs', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGKILL', null],
  ] as const)('is gone after %s, with its engine and its file', async (signal, code) => {
    const folder = join(temporaryFolder(), 'tmp');
    mkdirSync(folder);
    const child = start(['sql', endless], { env: { TMPDIR: folder } });
    const end = finished(child);
    child.stdin?.end();
    await until(() => engines(child.pid).length > 0);
    const [engine = 0] = engines(child.pid);
    await until(() => hasComputed(engine));
    child.kill(signal);
    const result = await end;
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' });
    await until(() => !isAlive(engine));
    // Newer releases of Node keep compiled code there.
    expect(readdirSync(folder).filter((name) => name !== 'node-compile-cache')).toEqual([]);
  });

  test('is gone when the parent is killed before it began', async () => {
    const folder = join(temporaryFolder(), 'tmp');
    mkdirSync(folder);
    const child = start(['sql', endless], { env: { TMPDIR: folder } });
    const end = finished(child);
    await until(() => engines(child.pid).length > 0);
    const [engine = 0] = engines(child.pid);
    child.kill('SIGKILL');
    await end;
    await until(() => !isAlive(engine));
    expect(readdirSync(folder).filter((name) => name !== 'node-compile-cache')).toEqual([]);
  });
});

test('a closed pipe ends quietly', async () => {
  const many = 'with recursive c(x) as (select 1 union all select x + 1 from c where x < 1e7) select x from c';
  const child = start(['sql', many, '-o', 'csv']);
  const end = finished(child);
  child.stdout?.once('data', () => child.stdout?.destroy());
  const { code, stderr } = await end;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('a time-out bounds the output, too', async () => {
  const many = 'with recursive c(x) as (select 1 union all select x + 1 from c where x < 1e7) select x from c';
  const child = start(['sql', many, '-o', 'csv', '--timeout', '2']);
  const end = new Promise((resolve) => child.once('exit', resolve));
  // Nobody reads what is written.
  child.stdout?.pause();
  expect(await end).toBe(5);
}, 20_000);

test('without a terminal a missing statement is read from stdin', async () => {
  expect((await cli(['sql'], { stdin: 'select 1 as x;' })).stdout).toBe('x\n1\n');
  const empty = await cli(['sql'], { stdin: '' });
  expect({ code: empty.code, stdout: empty.stdout }).toEqual({ code: 2, stdout: '' });
});
