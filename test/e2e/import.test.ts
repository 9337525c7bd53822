/** `entries import` as a process: a real table, a bad day, and a kill. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cli, finished, runBinary, start, temporaryFolder } from '../helpers/cli.ts';
import { servedWorld } from '../helpers/lists-world.ts';

const constituents = fileURLToPath(new URL('../data/sp500-constituents.csv', import.meta.url));

describe('entries import', () => {
  it('is offered what it says: plan, question, counts', async () => {
    const world = await servedWorld();
    try {
      const argv = ['entries', 'import', 'empty', constituents, '--key', 'symbol', '--map', 'Security=title'];
      const refused = await world.comem([...argv, '--create-attrs']);
      expect([refused.code, refused.stdout]).toEqual([2, '']);
      expect(refused.stderr).toContain('+ attribute "GICS Sector", select of 11 options');
      expect(refused.stderr).toContain('add --yes');
      const done = await world.comem([...argv, '--create-attrs', '--yes']);
      expect([done.code, done.stdout.split('\n')[1]]).toEqual([0, '503\t0\t0\t0\t0\t0\t0\t0']);
      const again = await world.comem([...argv, '-o', 'json']);
      expect([again.code, JSON.parse(again.stdout).unchanged]).toEqual([0, 503]);
    } finally {
      await world.close();
    }
  }, 240_000);

  it('under `comem serve --fail` gives exactly one row for each key', async () => {
    const folder = temporaryFolder();
    const rows = Array.from({ length: 300 }, (_, row) => `R${row},Company ${row}`);
    writeFileSync(join(folder, 'rows.csv'), ['Ref,title', ...rows].join('\n'));
    const comem = `'${process.execPath}' '${fileURLToPath(new URL('../../bin/comem.js', import.meta.url))}'`;
    const script = [
      `L=$(${comem} lists create Rows -o id)`,
      `${comem} entries import $L rows.csv --key ref --create-attrs --yes --quiet -o json --jq '.created' >&2`,
      `${comem} entries list $L -o csv --fields ref --no-header`,
    ].join(' && ');
    const faults = [
      '--fail',
      'POST /api/lists/*/entries=503@1/20',
      '--fail',
      'POST /api/lists/*/entries=drop-after@1/50',
    ];
    const result = await runBinary(['serve', ...faults, '--', 'sh', '-c', script], { cwd: folder, home: folder });
    expect(result.code).toBe(0);
    expect(result.stderr).toContain('300\n');
    expect(result.stdout.trim().split('\n')).toEqual(Array.from({ length: 300 }, (_, row) => `R${row}`));
  }, 240_000);

  it('is not run a second time while it runs, and is when that was killed', async () => {
    const count = 300;
    const folder = temporaryFolder();
    const rows = Array.from({ length: count }, (_, row) => `R${row},Company ${row}`);
    writeFileSync(join(folder, 'rows.csv'), ['Ref,title', ...rows].join('\n'));
    const world = await servedWorld();
    try {
      const { env } = world;
      const argv = ['entries', 'import', 'empty', 'rows.csv', '--key', 'ref', '--create-attrs', '--yes', '-o', 'json'];
      const at = { cwd: folder, home: folder, env };
      const first = start(argv, at);
      const ended = finished(first);
      // Its number is in the file a moment after the file is there.
      const claimed = () =>
        readdirSync(folder, { recursive: true, encoding: 'utf8' }).some(
          (name) => name.endsWith('.pid') && readFileSync(join(folder, name), 'utf8') !== '',
        );
      while (!claimed()) await sleep(2);
      // It stays where it is for as long as this looks at it.
      first.kill('SIGSTOP');
      const second = await cli(argv, at);
      expect([second.code, second.stdout]).toEqual([2, '']);
      expect(second.stderr).toContain(`this import is still running, as process ${first.pid}`);
      const resumed = await cli([...argv, '--resume'], at);
      expect([resumed.code, resumed.stderr]).toEqual([2, expect.stringContaining('is still running')]);
      // Looking is free, and another import has nothing to do with it.
      expect((await cli([...argv, '--dry-run'], at)).code).toBe(0);
      expect((await cli(['entries', 'import', 'deals', 'rows.csv', '--map', 'Ref=', '--yes'], at)).code).toBe(0);
      first.kill('SIGKILL');
      expect((await ended).signal).toBe('SIGKILL');
      const again = await cli(argv, at);
      const { created, unchanged } = JSON.parse(again.stdout) as { created: number; unchanged: number };
      expect([again.code, created + unchanged]).toEqual([0, count]);
      const { stdout } = await world.comem(['entries', 'list', 'empty', '-o', 'csv', '--fields', 'ref', '--no-header']);
      expect(stdout.trim().split('\n').sort()).toEqual(Array.from({ length: count }, (_, row) => `R${row}`).sort());
    } finally {
      await world.close();
    }
  }, 240_000);
});
