/** A signal ends a command at once, also while it reads or writes an answer that is long enough to let no event in. */
import { readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { finished, start, temporaryFolder } from '../helpers/cli.ts';

const count = 60_000;
const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const lists = Array.from({ length: count }, (_, n) => ({
  ...{ id: uuid(n), name: `List ${n}.`, slug: `list-${n}`, position: n, description: 'some words '.repeat(20) },
}));
const last = `List ${count - 1}.`;

let server: Server;
let onAnswer = () => {};
beforeAll(async () => {
  const body = Buffer.from(JSON.stringify(lists));
  server = createServer((_, response) => {
    response.on('finish', () => onAnswer());
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

function listing(format: string, cwd?: string) {
  const { port } = server.address() as AddressInfo;
  const env = {
    COMEM_BASE_URL: `http://127.0.0.1:${port}`,
    COMEM_COMPANY_ID: uuid(1),
    COMEM_API_KEY: 'cmk_signals',
    COMEM_SESSION_COOKIE: 'sid=signals',
  };
  const argv = cwd === undefined ? ['-o', format] : ['--out', `lists.${format}`];
  return start(['lists', 'list', ...argv], { env, ...(cwd === undefined ? {} : { cwd }) });
}

const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

it.each([
  ['SIGINT', 'table'],
  ['SIGTERM', 'yaml'],
  ['SIGHUP', 'md'],
] as const)(
  '%s while rows are written as %s',
  async (signal, format) => {
    const child = listing(format);
    child.stdout?.once('data', () => child.kill(signal));
    const { code, stdout } = await finished(child);
    expect(code ?? child.signalCode).toBe(signals[signal]);
    expect(stdout.includes(last)).toBe(false);
  },
  120_000,
);

it('has the exit code of the signal in its JSON, too', async () => {
  const child = listing('ndjson');
  child.stdout?.once('data', () => child.kill('SIGTERM'));
  const { code, stderr } = await finished(child);
  expect([code, JSON.parse(stderr)]).toEqual([
    143,
    { error: expect.objectContaining({ code: 'interrupted', exitCode: 143 }) },
  ]);
}, 120_000);

it.each([0, 150])(
  'SIGTERM %i ms after a long answer came',
  async (later) => {
    const answered = new Promise<void>((resolve) => {
      onAnswer = resolve;
    });
    const child = listing('table');
    await answered;
    await wait(later);
    child.kill('SIGTERM');
    const { code, stdout } = await finished(child);
    expect([143, 'SIGTERM']).toContain(code ?? child.signalCode);
    expect(stdout.includes(last)).toBe(false);
  },
  120_000,
);

it.each([0, 150, 400])(
  'SIGTERM %i ms after a long answer came leaves no part of a file',
  async (later) => {
    const cwd = temporaryFolder();
    const answered = new Promise<void>((resolve) => {
      onAnswer = resolve;
    });
    const child = listing('xlsx', cwd);
    await answered;
    await wait(later);
    child.kill('SIGTERM');
    const { code } = await finished(child);
    if (code !== 0) expect([143, 'SIGTERM']).toContain(code ?? child.signalCode);
    expect(readdirSync(cwd)).toEqual(code === 0 ? ['lists.xlsx'] : []);
  },
  120_000,
);
