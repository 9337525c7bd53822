import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { expect, it } from 'vitest';
import { binary, runBinary, temporaryFolder } from '../helpers/cli.ts';

const home = temporaryFolder();
const env = { PATH: process.env.PATH, HOME: home, XDG_DATA_HOME: `${home}/data`, XDG_CONFIG_HOME: `${home}/config` };

/** stdout is a device that takes nothing, as a full disk behind `> file`. */
function ontoFullDisk(argv: readonly string[]): Promise<{ code: number | null; stderr: string }> {
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [binary, ...argv], { env, cwd: home, stdio: ['ignore', full, 'pipe'] });
  closeSync(full);
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stderr })));
}

const demo = ['-p', 'demo', '--quiet'];
const after = /cannot write to stdout: ENOSPC.*(the write was|\d+ of \d+ writes were) done before \([0-9a-f-]{36}/;

it('a full disk behind stdout is exit 7 after a write, with the ids, and exit 2 after a read', async () => {
  const read = await ontoFullDisk([...demo, 'entries', 'list', 'deal-pipeline']);
  expect(read).toMatchObject({ code: 2, stderr: expect.stringContaining('ENOSPC') });
  for (const argv of [
    ['lists', 'create', 'Scratch', '-o', 'json'],
    ['entries', 'create', 'scratch', '--title', 'A'],
    ['entries', 'create', 'scratch', '--title', 'B', '--raw'],
    ['entries', 'archive', 'scratch', 'A', 'B', '--yes'],
    ['grants', 'revoke', '--expired', '--yes', '-o', 'csv'],
  ]) {
    expect(await ontoFullDisk([...demo, ...argv]), argv.join(' ')).toMatchObject({
      code: 7,
      stderr: expect.stringMatching(after),
    });
  }
  const { stdout } = await runBinary(
    [...demo, 'entries', 'list', 'scratch', '--archived-only', '-o', 'csv', '--fields', 'title'],
    {
      home,
      env: { XDG_DATA_HOME: `${home}/data`, XDG_CONFIG_HOME: `${home}/config` },
    },
  );
  // What was confirmed is written to its end.
  expect(stdout.trim().split('\n').sort()).toEqual(['A', 'B', 'title']);
});

const disk = temporaryFolder();
const mount = (options: string) => spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk]).status === 0;
const canMount = process.platform === 'linux' && mount('size=1m') && spawnSync('umount', [disk]).status === 0;
if (!canMount) it.skip('a mirror on a full disk (needs root, to mount a small one)', () => {});

it.runIf(canMount)('a sync on a full disk says that it wrote nothing only where it did not', async () => {
  for (const [size, code, says, status] of [
    ['400k', 5, /the disk of the mirror in .* is full; nothing was written/, 3],
    // The log has room, and the copy of its pages has none.
    ['800k', 0, /the sync is written, but not moved from mirror.db-wal into mirror.db \(the disk/, 0],
  ] as const) {
    mount(`size=${size}`);
    try {
      const sync = await runBinary(['-p', 'demo', 'mirror', 'sync', `${disk}/mirror`], { env });
      expect({ ...sync, stdout: '' }, size).toMatchObject({ code, stderr: expect.stringMatching(says) });
      spawnSync('mount', ['-o', 'remount,size=20m', disk]);
      const { code: known } = await runBinary(['-p', 'demo', 'mirror', 'status', `${disk}/mirror`], { env });
      expect(known, size).toBe(status);
    } finally {
      spawnSync('umount', [disk]);
    }
  }
});
