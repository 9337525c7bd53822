/** No file makes a command crash: plans and settings that somebody changed are refused in words. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { cannedApi } from '../helpers/canned-api.ts';
import { fieldChanges, suspicious } from '../helpers/mutations.ts';
import { run } from '../helpers/run.ts';

const cwd = mkdtempSync(join(tmpdir(), 'comem-files-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
const transport = cannedApi();
const whole = [{}, [], null, 'text', 7, [{}]].map((value) => [JSON.stringify(value), () => value] as const);

interface Case {
  file: string;
  make: readonly string[];
  stdin?: string;
  use: readonly string[];
}

const cases: readonly Case[] = [
  {
    file: 'import.json',
    make: ['entries', 'import', 'deals', '-', '--plan-out', 'import.json'],
    stdin: 'title,stage\nAcme,Lead\nNew,Won\n',
    use: ['entries', 'import', 'deals', '--plan', 'import.json', '--dry-run'],
  },
  {
    file: 'grants.json',
    make: ['grants', 'revoke', '--all', '--plan-out', 'grants.json'],
    use: ['grants', 'revoke', '--plan', 'grants.json', '--dry-run'],
  },
];

it.each(cases)('$file', async ({ file, make, stdin, use }) => {
  expect((await run(make, { transport, cwd, stdin })).code).toBe(0);
  const plan: unknown = JSON.parse(readFileSync(join(cwd, file), 'utf8'));
  const failing: string[] = [];
  for (const [says, change] of [...whole, ...fieldChanges(plan)]) {
    writeFileSync(join(cwd, file), JSON.stringify(change(plan)) ?? '');
    const { code, stdout, stderr } = await run(use, { transport, cwd });
    if (code === 70 || suspicious.test(stdout + stderr))
      failing.push(`${says}: exit ${code} ${stderr.slice(-300)} ${stdout.slice(0, 300)}`);
  }
  expect(failing).toEqual([]);
});

it('settings and journals', async () => {
  const home = mkdtempSync(join(cwd, 'home-'));
  const env = { COMEM_BASE_URL: undefined };
  for (const argv of [
    ['profiles', 'set', 'p', 'base-url=http://127.0.0.1:1', 'output=csv', 'readonly=false'],
    ['companies', 'add', 'acme', '00000000-0000-4000-8000-000000000001', '-p', 'p'],
  ]) {
    expect(await run(argv, { home, env })).toMatchObject({ code: 0 });
  }
  await run(['entries', 'archive', 'deals', 'Acme'], { home, transport });
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' })
    .map((file) => join(home, file))
    .filter((file) => statSync(file).isFile() && /\.(json|jsonl|ndjson)$/.test(file));
  expect(files.length).toBeGreaterThan(1);
  const failing: string[] = [];
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const lines = file.endsWith('.json') ? [text] : text.trim().split('\n');
    for (const [index, line] of lines.entries()) {
      const value: unknown = JSON.parse(line);
      for (const [says, change] of [...whole, ...fieldChanges(value)]) {
        const tampered = lines.map((one, at) => (at === index ? JSON.stringify(change(value)) : one)).join('\n');
        writeFileSync(file, `${tampered}\n`);
        for (const argv of [
          ['profiles', 'list', '-o', 'json'],
          ['history', '-o', 'json'],
          ['undo', '--dry-run'],
        ]) {
          const { code, stdout, stderr } = await run(argv, { home, transport });
          if (code === 70 || /\[object \w+\]|\bundefined\b/.test(stdout + stderr)) {
            failing.push(
              `${file} ${argv.join(' ')} ${says}: exit ${code} ${stderr.slice(-300)} ${stdout.slice(0, 200)}`,
            );
          }
        }
      }
      writeFileSync(file, text);
    }
  }
  expect(failing).toEqual([]);
});
