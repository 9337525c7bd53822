/** `comem sql` as a process: its end under signals, the engine without its parent, and the prompt on a real terminal. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { binary, cli, finished, start, temporaryFolder } from '../helpers/cli.ts';
import { testWith } from '../helpers/tools.ts';

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

describe('the prompt', () => {
  /** Types each text when the screen shows what precedes it. Arguments: program and script as JSON. */
  const driver = `
import json, os, pty, select, signal, sys, time
argv, script = json.loads(sys.argv[1]), json.loads(sys.argv[2])
pid, fd = pty.fork()
if pid == 0:
    os.execvp(argv[0], argv)
seen = ''
end = time.time() + float(sys.argv[3])
def read():
    global seen
    ready, _, _ = select.select([fd], [], [], 0.1)
    if not ready: return True
    try: data = os.read(fd, 65536)
    except OSError: return False
    seen += data.decode('utf8', 'replace')
    return data != b''
at = 0
for wanted, text in script:
    while wanted not in seen[at:] and time.time() < end and read(): pass
    if wanted not in seen[at:]: break
    at += seen[at:].index(wanted) + len(wanted)
    time.sleep(0.1)
    os.write(fd, text.encode())
while time.time() < end and read(): pass
if time.time() >= end: os.kill(pid, signal.SIGKILL)
_, status = os.waitpid(pid, 0)
print(json.dumps({'screen': seen, 'code': os.waitstatus_to_exitcode(status)}))
`;

  function typing(home: string, script: [wanted: string, text: string][]): { screen: string; code: number } {
    const env = { ...process.env, HOME: home, TERM: 'xterm', COLUMNS: '100', CI: '' };
    for (const kind of ['CONFIG', 'DATA', 'CACHE', 'STATE'])
      Object.assign(env, { [`XDG_${kind}_HOME`]: join(home, kind) });
    const argv = [process.execPath, binary, '-p', 'demo', 'sql'];
    const { stdout, stderr } = spawnSync(
      'python3',
      ['-c', driver, JSON.stringify(argv), JSON.stringify(script), '25'],
      {
        ...{ env, cwd: home, encoding: 'utf8' },
      },
    );
    expect(stderr).toBe('');
    const found = JSON.parse(stdout) as { screen: string; code: number };
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes of a terminal.
    return { ...found, screen: found.screen.replace(/\x1b\[[\d;]*[A-Za-z]/g, '').replaceAll('\r', '') };
  }

  testWith('python3')('runs, completes, cancels, writes and remembers', async () => {
    const home = temporaryFolder();
    const { screen, code } = typing(
      home,
      [
        ['sql> ', '.tables\r'],
        ['Hiring', 'select title, fair'],
        ['fair', '\t'],
        ['_value', '\r'],
        ['...> ', 'from portf'],
        ['from portf', '\t'],
        ['olio', " where title like 'Lumen%';\r"],
        ['1.71', `${endless};\r`],
        ['from c;', ''],
        ['\n', '\x03'],
        ['was cancelled', 'select nope;\r'],
        ['unknown column "nope"', '.mode csv\r'],
        ['sql> ', 'select 1 as a, 2 as b;\r'],
        ['1,2', '.once rows.json\r'],
        ['sql> ', 'select 3 as c;\r'],
        ['Wrote rows.json', 'select not finished\r'],
        ['...> ', '\x03'],
        ['^C', '\x04'],
      ].filter(([wanted]) => wanted !== 'Candidates') as [string, string][],
    );
    expect(screen).toMatch(/^deal_pipeline +entries of the list Deal pipeline$/m);
    expect(screen).toContain('title            fair_value $M\nLumen Analytics           1.71\n');
    expect(screen).not.toContain('Reading');
    expect(code).toBe(0);
    expect(JSON.parse(readFileSync(join(home, 'rows.json'), 'utf8'))).toEqual([{ c: 3 }]);
    const history = join(home, 'STATE/comem/sql-history');
    expect(statSync(history).mode & 0o777).toBe(0o600);
    expect(readFileSync(history, 'utf8').split('\n')[0]).toBe(
      "select title, fair_value from portfolio where title like 'Lumen%';",
    );
    const again = typing(home, [
      ['sql> ', '\x1b[A'],
      ['select 3 as c;', '\r'],
      ['sql> ', '.quit\r'],
    ]);
    expect(again.code).toBe(0);
  });
});

test('without a terminal a missing statement is read from stdin', async () => {
  expect((await cli(['sql'], { stdin: 'select 1 as x;' })).stdout).toBe('x\n1\n');
  const empty = await cli(['sql'], { stdin: '' });
  expect({ code: empty.code, stdout: empty.stdout }).toEqual({ code: 2, stdout: '' });
});
