import { spawn } from 'node:child_process';
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
