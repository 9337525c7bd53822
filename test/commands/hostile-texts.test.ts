/** Texts of others: none of them begins a line of stderr, commands a CI system or a terminal, or spoils all rows of an output. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Transport } from '../../src/core/wire.ts';
import { readYaml } from '../../src/core/yaml.ts';
import { honest, ids, uuid } from '../fault/honest.ts';
import { run } from '../helpers/run.ts';
import { readWorkbook } from '../helpers/workbook.ts';

const texts: Record<string, string> = {
  'forged lines':
    'x\ncomem: FORGED\n  hint: FORGED\r\ncomem: FORGED\rcomem: FORGED\u0085comem: FORGED\u2028comem: FORGED' +
    '\u2029::error::FORGED\u000bcomem: FORGED\u000ccomem: FORGED',
  'workflow commands': '::error file=FORGED,line=1::FORGED\n::error file=FORGED::FORGED\n##vso[task.setvariable]x',
  'a workflow command after blanks': ' \t ::add-mask::FORGED',
  'a workflow command with escapes': '::warning::x%0A::error::FORGED%0D%25',
  'older and other commands': "x ##[error]FORGED ##[add-path]/tmp\n##teamcity[message text='FORGED']",
  'an Azure command': '##vso[task.setvariable variable=FORGED]x',
  'commands behind removed characters': ':\u200b:error::FORGED #\u200b#[error]FORGED \u001b[31m::error::FORGED',
  'three signs': '###[error]FORGED #####vso[x]FORGED :::error::FORGED',
  'escape sequences and changes of direction':
    'a\u001b[2J\u001b[31mb\u001b]0;FORGED\u0007c\u001b]8;;http://x\u001b\\d\u009b1m\u0008\u0000\u007f' +
    'a\u202edcba\u202c\u2066x\u2069\u200f\u061c',
  'half a pair': 'a\ud800b\udc00',
};

const long = 'n'.repeat(100);
/** Every text of the answer that says something becomes the hostile one. */
function poisoned(body: string, text: string): string {
  if (body === '') return body;
  const names = ['title', 'name', 'label', 'note', 'currency', 'description', 'error', 'message', 'path'];
  return JSON.stringify(JSON.parse(body), (key, value) =>
    names.includes(key) && typeof value === 'string' ? text : value,
  );
}

function api(change: (body: string, method: string) => { status?: number; body: string }): Transport {
  return async ({ method, url, body, headers }) => {
    const { pathname, searchParams } = new URL(url);
    const asked = {
      method,
      path: pathname,
      query: searchParams,
      body: body === undefined ? {} : JSON.parse(String(body)),
    };
    const answer = honest(asked);
    const changed = answer.status < 300 ? change(answer.body, method) : { body: answer.body };
    expect(headers).toBeDefined();
    return {
      status: changed.status ?? answer.status,
      headers: { ...answer.headers, date: 'Wed, 01 May 2024 00:00:00 GMT' },
      body: Buffer.from(changed.body),
    };
  };
}

const env = {
  COMEM_BASE_URL: 'https://x.example',
  COMEM_COMPANY_ID: ids.company,
  COMEM_API_KEY: 'cmk_x',
  COMEM_SESSION_COOKIE: 'sid=x12345678',
};
const list = ids.list;
const commands = [
  `entries list ${list}`,
  `entries list ${list} --where amount>10 -o csv`,
  `entries update ${list} --where amount>=0 --set amount=5 --yes`,
  `entries update ${list} --where amount>=0 --set amount=5 --dry-run`,
  `entries archive ${list} ${uuid(101)} ${uuid(102)} --yes`,
  `entries delete ${list} --all --yes`,
  `entries dedupe ${list} --key title --yes`,
  `entries import ${list} rows.csv --key title --yes --failed failed.csv`,
  `lists get ${list}`,
  'lists list --verbose',
  'metrics series -m mrr --from 2024-01 --to 2024-03 --verbose',
  'metrics catalog',
  'grants list',
  'grants revoke --all --yes',
  `published get ${ids.company}`,
  `check entries ${list} --expect row(amount>=1000)`,
  `check entries ${list} --expect row(amount>=1000) --report github`,
  `api GET /api/lists`,
  `api POST /api/lists/${list}/entries --body {"title":"x"} --yes`,
];

const unsafe =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

function checkLines(stderr: string): void {
  expect(stderr).not.toMatch(unsafe);
  expect(stderr).not.toMatch(/\p{Surrogate}/u);
  for (const line of stderr.split('\n')) {
    expect(line).not.toMatch(/^\s*(?:::|comem: FORGED|hint: FORGED)/);
    expect(line).not.toMatch(/##\w*\[/);
  }
}

describe.each(Object.entries(texts))('%s', (_, text) => {
  const refusal = JSON.stringify({
    error: text,
    message: text,
    details: { issues: [{ path: text, message: text }], other: text },
  });
  const answers: Record<string, Transport> = {
    'in answers': api((body) => ({ body: poisoned(body, text) })),
    'in refusals of everything': api(() => ({ status: 422, body: refusal })),
    'in refusals of writes': api((body, method) =>
      method === 'GET' ? { body: poisoned(body, text) } : { status: 422, body: refusal.replace('"issues"', '"wrong"') },
    ),
  };

  it.each(Object.keys(answers))('%s moves nothing on stderr', async (where) => {
    const cwd = mkdtempSync(join(tmpdir(), 'comem-hostile-'));
    writeFileSync(join(cwd, 'rows.csv'), `title,amount\nNew,1\n"Deal ${long}",2\n`);
    for (const command of commands) {
      for (const more of [[], ['-o', 'json']]) {
        if (more.length > 0 && / -o | --report /.test(command)) continue;
        const argv = [...command.split(' '), ...more, '--retries', '0'];
        const { stderr, code, stdout } = await run(argv, { env, cwd, transport: answers[where] as Transport });
        expect([0, 1, 2, 3, 6, 7]).toContain(code);
        checkLines(stderr);
        if (more.length > 0 && code !== 0 && stderr.includes('{"error"')) {
          const last = stderr.trim().split('\n').at(-1) ?? '';
          expect(JSON.parse(last).error.exitCode).toBe(code);
        }
        if (command.includes('github')) {
          for (const line of stdout.split('\n')) expect(line).toMatch(/^$|^::(?:error|warning|notice) [^:]*::/);
        }
      }
    }
    const failed = join(cwd, 'failed.csv');
    if (where === 'in refusals of writes') {
      const rows = readFileSync(failed, 'utf8').trim().split('\n');
      expect(rows).toHaveLength(3);
      checkLines(rows.join('\n'));
    }
  });
});

describe('half a surrogate pair in one title', () => {
  const titles = ['Acme', 'a\ud800b', '😀 \udc00', 'x\\ud800 \\\\ud800'];
  const transport: Transport = async (request) => {
    const answer = await api((body) => {
      const rows = JSON.parse(body);
      if (!Array.isArray(rows) || rows[0]?.title === undefined) return { body };
      return { body: JSON.stringify(rows.map((row, n) => ({ ...row, title: titles[n % 4] }))) };
    })(request);
    return answer;
  };
  const whole = ['Acme', 'a\ufffdb', '😀 \ufffd', 'x\\ud800 \\\\ud800'];
  const get = (...argv: string[]) => run(['entries', 'list', list, '--limit', '4', ...argv], { env, transport });

  it('costs nothing but itself in any output', async () => {
    const jq = await get('--jq', '.[].title');
    expect([jq.code, jq.stdout, jq.stderr]).toEqual([0, whole.map((title) => `${title}\n`).join(''), '']);
    const raw = await run(['api', 'GET', `/api/lists/${list}/entries`, '--jq', '.[].title'], { env, transport });
    expect([raw.code, raw.stdout]).toEqual([0, whole.map((title) => `${title}\n`).join('')]);
    const yaml = await get('-o', 'yaml', '--fields', 'title');
    expect((await readYaml(yaml.stdout, 'x')).value).toMatchObject(whole.map((title) => ({ title })));
    expect((await get('-o', 'csv', '--fields', 'title')).stdout).toContain('a\ufffdb');
    const cwd = mkdtempSync(join(tmpdir(), 'comem-hostile-'));
    for (const format of ['xlsx', 'parquet', 'csv', 'yaml', 'json']) {
      const { code, stderr } = await run(['entries', 'list', list, '--limit', '4', '--out', `x.${format}`], {
        env,
        cwd,
        transport,
      });
      expect([code, stderr]).toEqual([0, stderr]);
    }
    expect(readFileSync(join(cwd, 'x.parquet')).includes(Buffer.from('a\ufffdb'))).toBe(true);
    expect(
      readWorkbook(readFileSync(join(cwd, 'x.xlsx')))
        .rows.flat()
        .map(({ text }) => text),
    ).toContain('a\ufffdb');
  });
});
