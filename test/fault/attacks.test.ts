/** What takes all memory or all time of an unguarded client: the built program stays small, and can be interrupted. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../helpers/built.ts';
import { finished, start, temporaryFolder } from '../helpers/cli.ts';
import { type FaultServer, faultServer, ids, send } from './honest.ts';

const mebibyte = 1 << 20;
const maxMemory = 320;
const piece = Buffer.alloc(mebibyte, 'x');
const list = ids.list;

let server: FaultServer;
beforeAll(async () => {
  server = await faultServer();
});
afterAll(() => server.close());

const env = () => ({
  COMEM_BASE_URL: server.url,
  COMEM_COMPANY_ID: ids.company,
  COMEM_API_KEY: 'cmk_attack',
  COMEM_SESSION_COOKIE: 'sid=attack',
});

async function measured(argv: readonly string[], cwd?: string) {
  const memory = join(temporaryFolder(), 'memory');
  const hook = join(root, 'test/fault/memory.cjs');
  const variables = { ...env(), NODE_OPTIONS: `--require ${hook}`, COMEM_MEMORY: memory };
  const child = start(argv, { env: variables, ...(cwd === undefined ? {} : { cwd }) });
  const result = await finished(child);
  return { ...result, mebibytes: Number(readFileSync(memory, 'utf8')) / 1024 };
}

/** Writes the piece so often, or as long as somebody reads. */
function flood(response: ServerResponse, chunk: Buffer, times = Number.POSITIVE_INFINITY): void {
  let left = times;
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left -= 1;
      if (!response.write(chunk)) return;
    }
    if (left === 0) response.end();
  };
  response.on('drain', more);
  more();
}

const gzip = { 'content-encoding': 'gzip' };
const member = gzipSync(piece);
const bomb = Buffer.concat(Array<Buffer>(1024).fill(member));
const attacks: Record<string, (response: ServerResponse) => void> = {
  'a gzip bomb of 1 GB': (response) => response.writeHead(200, gzip).end(bomb),
  'gzip without an end': (response) => flood(response.writeHead(200, gzip), gzipSync(piece)),
  'a body without an end': (response) => flood(response.writeHead(200), piece),
  'a line of 1 GB': (response) => flood(response.writeHead(200), piece, 1024),
};

describe.each(Object.keys(attacks))('%s', (name) => {
  test.each([
    ['lists list'],
    [`entries list ${list} -o csv`],
    ['metrics series -m mrr --from 2024-01 --to 2024-03 -o csv'],
    [`entries create ${list} --title x`],
  ])(
    'is refused by %s in little memory',
    async (words) => {
      server.behave((_, { response }) => attacks[name]?.(response));
      const { code, stdout, stderr, mebibytes } = await measured(words.split(' '));
      expect(stderr).toContain('larger than 50 MiB');
      expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
      expect(mebibytes).toBeLessThan(maxMemory);
      process.stdout.write(`${name}: ${words.split(' ').slice(0, 2).join(' ')}, ${Math.round(mebibytes)} MiB\n`);
    },
    120_000,
  );
});

/** 48 MB, less than a response may be: the second text is repeated between the first and the third. */
const values: Record<string, [string, string | ((n: number) => string), string]> = {
  numbers: ['[', '1,', '1]'],
  'numbers with a text': ['[', '1.10,', '1]'],
  'empty objects': ['{"items":[', '{},', '{}]}'],
  'empty lists': ['[', '[],', '[]]'],
  'lists of three fields': ['{"lists":[', '{"id":"a","name":"b","slug":"c"},', '{"id":"a","name":"b","slug":"c"}]}'],
  keys: ['{', (n) => `"k${n}":1,`, '"a":1}'],
  'objects of other keys': ['[', (n) => `{"k${n}":1},`, '{}]'],
  'one text': ['["', 'abcdefghi ', '"]'],
};

describe.each(Object.keys(values))('48 MB of %s', (name) => {
  const [first, repeated, last] = values[name] as (typeof values)[string];
  const some = Array.from({ length: 40_000 }, (_, n) => (typeof repeated === 'string' ? repeated : repeated(n)));
  const chunk = Buffer.from(some.join(''));

  test.each([['lists list'], [`entries create ${list} --title x`]])(
    'are refused by %s in little memory',
    async (words) => {
      server.behave((_, { response }) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write(first);
        let left = Math.ceil((48 * mebibyte) / chunk.length);
        const more = () => {
          while (left > 0 && !response.destroyed) {
            left -= 1;
            if (!response.write(chunk)) return;
          }
          if (left === 0) response.end(last);
        };
        response.on('drain', more);
        more();
      });
      const { code, stdout, stderr, mebibytes } = await measured(words.split(' '));
      // One text is no more than its length, and no answer of the API.
      expect(stderr).toContain(name === 'one text' ? 'answered 200' : 'the response has more than 1638400 values');
      expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
      expect(mebibytes).toBeLessThan(maxMemory);
      process.stdout.write(
        `48 MB of ${name}: ${words.split(' ').slice(0, 2).join(' ')}, ${Math.round(mebibytes)} MiB\n`,
      );
    },
    120_000,
  );
});

const repeated = (text: string, times: number) => text.repeat(times);
const brackets = `${repeated('[', 200_000)}${repeated(']', 200_000)}`;
const rowsFile = (name: string, text: string) => [name, text, ['entries', 'import', list, name, '--dry-run']] as const;
const checksFile = (name: string, text: string) => [name, text, ['check', '-f', name]] as const;
const chosen = (name: string, where: string) => [name, '', ['entries', 'list', list, '--where', where]] as const;

/** What costs more than its length where it is not bounded, and the sentence that names the bound. */
const inputs: [file: readonly [name: string, text: string, argv: readonly string[]], says: RegExp][] = [
  [rowsFile('aliases.yaml', `- &a {title: x}\n${repeated('- *a\n', 3000)}`), /more than 1000 aliases/],
  [rowsFile('merged.yaml', `- &a {title: x}\n${repeated('- {<<: *a}\n', 3000)}`), /more than 1000 aliases/],
  [rowsFile('wide.csv', `${repeated('c,', 100_000)}\n${repeated('1,', 100_000)}\n`), /columns, and the limit is 16384/],
  [rowsFile('long.csv', `title\n"${repeated('x', 20_000_000)}"\n`), /16777216 characters, which is the limit/],
  [rowsFile('deep.ndjson', `{"title":${brackets}}\n`), /nested deeper than 500 levels/],
  [rowsFile('deep.json', brackets), /nested deeper than 500 levels/],
  [rowsFile('deep.yaml', `- title: ${brackets}`), /nested deeper than 500 levels/],
  [rowsFile('number.csv', 'title,amount\na,1e999999999\n'), /an exponent is from -400 to 400/],
  [
    checksFile('many.yaml', `checks:\n${repeated('  - {name: a, list: x, expect: count = 1}\n', 300_000)}`),
    /the limit is 2097152/,
  ],
  [
    checksFile('many.json', `{"checks":[${repeated('{"list":"x","expect":"count = 1"},', 300_000)}{}]}`),
    /the limit is/,
  ],
  [chosen('parentheses', `${repeated('(', 500)}amount > 1${repeated(')', 500)}`), /more than 200 levels/],
  [chosen('nots', `${repeated('not ', 20_000)}(amount > 1)`), /more than 200 levels/],
  [chosen('minuses', `amount > ${repeated('-', 20_000)}1`), /more than 200 levels/],
  [chosen('pattern', `title matches "${repeated('(', 5000)}${repeated(')', 5000)}"`), /the limit is 4000/],
  [chosen('exponent', 'amount > 1e999999999'), /an exponent is from -400 to 400/],
  [
    [
      'filters',
      '',
      ['entries', 'list', list, ...Array.from({ length: 17_000 }, (_, n) => ['--filter', `t=${n}`]).flat()],
    ],
    /the list has no attribute "t"/,
  ],
];

test.each(inputs.map(([input, says]) => [input[0], input, says] as const))(
  '%s: refused in little memory',
  async (_, [name, text, argv], says) => {
    server.behave((good, to) => send(good, to));
    const cwd = temporaryFolder();
    if (text !== '') writeFileSync(join(cwd, name), text);
    const { code, stdout, stderr, mebibytes } = await measured(argv, cwd);
    expect(stderr).toMatch(says);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(mebibytes).toBeLessThan(maxMemory);
    process.stdout.write(`${name}: ${Math.round(mebibytes)} MiB\n`);
  },
  60_000,
);

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** A signal ends the program: by itself, or the system ends it while it hears of nothing. */
async function ended(
  argv: readonly string[],
  signal: (typeof signals)[number],
  ready: () => Promise<unknown>,
  cwd?: string,
) {
  const child = start(argv, { env: env(), ...(cwd === undefined ? {} : { cwd }) });
  const end = finished(child);
  await ready();
  child.kill(signal);
  const result = await end;
  expect([codes[signal], signal]).toContain(result.code ?? result.signal);
  return result;
}
const soon = (ms: number) => new Promise((done) => setTimeout(done, ms));

describe.each(signals)('%s', (signal) => {
  test('ends a jq program that never ends', async () => {
    let answered = () => {};
    const answer = new Promise<void>((done) => {
      answered = done;
    });
    server.behave((good, to) => {
      send(good, to);
      answered();
    });
    const argv = ['lists', 'list', '--jq', 'def f: f; f'];
    await ended(argv, signal, () => answer.then(() => soon(1500)));
  }, 30_000);

  test('ends an export and leaves no temporary file', async () => {
    const cwd = temporaryFolder();
    let arrived = () => {};
    const second = new Promise<void>((done) => {
      arrived = done;
    });
    server.behave((good, to) => {
      if (to.asked.query.get('offset') === '4') arrived();
      else send(good, to);
    });
    const result = await ended(['entries', 'list', list, '--out', 'out.csv'], signal, () => second, cwd);
    expect(result.code).toBe(codes[signal]);
    expect(readdirSync(cwd)).toEqual([]);
  }, 30_000);
});

test('a settings file that is a pipe is refused instead of waited for', async () => {
  const home = temporaryFolder();
  mkdirSync(join(home, 'config/comem'), { recursive: true });
  execFileSync('mkfifo', [join(home, 'config/comem/config.json')]);
  const result = await finished(start(['profiles', 'list'], { home }));
  expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining('it is not a regular file') });
}, 30_000);
