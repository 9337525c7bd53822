import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { afterWrites } from '../../src/cli/report.ts';
import { exitCodes, Failure, usage } from '../../src/core/errors.ts';
import { createOutput } from '../../src/output/write/create-output.ts';
import { run } from '../helpers/run.ts';

const create = ['entries', 'create', 'deal-pipeline', '--title', 'Acme', '--set', 'stage=Sourced'];

describe('what fails after a write was sent', () => {
  it('is never exit 2, and names what was written', async () => {
    const { code, stdout, stderr, requests } = await run([...create, '--jq', 'error("no")', '-o', 'json']);
    expect([code, stdout, requests.at(-1)?.method]).toEqual([7, '', 'POST']);
    expect(JSON.parse(stderr.split('\n').find((line) => line.startsWith('{')) ?? '')).toMatchObject({
      error: {
        code: 'failed_after_write',
        message: expect.stringMatching(/^--jq: no; the write was done before \([0-9a-f-]{36}\)$/),
        details: { sent: 1, done: 1 },
        exitCode: exitCodes.failedAfterWrite,
      },
    });
  });

  it.each([
    ['a file that cannot be opened', ['--out', '/nowhere/x.csv']],
    ['a jq program that does not compile', ['--jq', '.(']],
    ['a format that is none', ['-o', 'exe']],
    ['a format without room for it', ['-o', 'xlsx']],
    ['fields that are none', ['--fields', 'nothing']],
    ['a file for --raw that cannot be opened', ['--raw', '--out', '/nowhere/x.json']],
  ])('is found before: %s', async (_, flags) => {
    const { code, requests } = await run([...create, ...flags]);
    expect([code, requests.filter(({ method }) => method !== 'GET')]).toEqual([2, []]);
  });

  it.each([
    ['entries import --failed', ['entries', 'import', 'hiring', '-', '--failed', '/nowhere/x.csv', '--yes']],
    ['entries import --plan-out', ['entries', 'import', 'hiring', '-', '--plan-out', '/nowhere/x.json']],
    ['grants revoke --plan-out', ['grants', 'revoke', '--expired', '--plan-out', '/nowhere/x.json']],
    ['api --out', ['api', 'POST', '/api/lists', '-f', 'name=A', '--out', '/nowhere/x.json']],
    ['api --jq', ['api', 'POST', '/api/lists', '-f', 'name=A', '--jq', '.(']],
  ])('is found before the first request: %s', async (_, argv) => {
    const { code, requests } = await run(argv, { stdin: 'title\nA\n' });
    expect([code, requests]).toEqual([2, []]);
  });

  it('keeps its kind where nothing was sent, and where the server refused', () => {
    const failures = [usage('wrong'), new Failure('rejected', 'no', { status: 400 })];
    expect(afterWrites(failures[0] as Failure, { sent: 0, done: 0, ids: [] }).exitCode).toBe(2);
    expect(afterWrites(failures[1] as Failure, { sent: 3, done: 2, ids: ['a'] })).toBe(failures[1]);
    expect(afterWrites(failures[0] as Failure, { sent: 3, done: 2, ids: ['a'] })).toMatchObject({
      message: 'wrong; 2 of 3 writes were done before (a, …)',
      exitCode: 7,
    });
  });

  it('a write that breaks a rule before it is sent is still exit 2', async () => {
    const { code } = await run(['lists', 'create', '', '-o', 'json']);
    expect(code).toBe(2);
  });
});

describe('stdout', () => {
  const terminal = { stdoutIsTTY: false, stderrIsTTY: false, columns: 80, color: { stdout: false } };
  const settings = {
    ...{ fields: undefined, jq: undefined, out: undefined, limit: undefined, header: true, truncate: true },
    ...{ failEmpty: false, quiet: true, excel: false as const },
  };
  const failing = (code: string) =>
    new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(`${code}: no`), { code })) });

  it.each(['csv', 'json', 'ndjson', 'yaml', 'table'])(
    'that takes no more is a failure in %s, a closed pipe is none',
    async (format) => {
      for (const [code, fails] of [
        ['ENOSPC', true],
        ['EPIPE', false],
      ] as const) {
        const runtime = { cwd: '/', terminal, stdout: failing(code), stderr: failing(code) };
        const out = createOutput({ ...settings, output: { value: format } }, runtime);
        const rows = Array.from({ length: 5000 }, (_, id) => ({ id: String(id) }));
        const written = out.rows(rows, [{ key: 'id', get: ({ id }) => id }]);
        if (fails) await expect(written).rejects.toThrow('cannot write to stdout: ENOSPC: no');
        else await written;
      }
    },
  );
});
