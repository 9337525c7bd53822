/**
 * What a person is asked on a real terminal for what a command line leaves out. Tests run at once: most of their time
 * is that of programs that start, and of terminals that wait.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { cli, temporaryFolder } from '../helpers/cli.ts';
import { keys, onTerminal } from '../helpers/terminal.ts';

const { enter, esc, down, interrupt, end } = keys;
const home = temporaryFolder();
const comem = (line: string, env: Record<string, string> = {}) =>
  onTerminal(['-p', 'demo', ...line.split(' ').filter(Boolean)], { home, env });

/** Answers each question when it is on the screen. */
async function answering(line: string, answers: readonly (readonly [string, string])[], env?: Record<string, string>) {
  const terminal = comem(line, env);
  for (const [question, typed] of answers) {
    await terminal.shows(question);
    terminal.type(typed);
  }
  return terminal.ended;
}

beforeAll(async () => {
  expect((await cli(['-p', 'demo', 'lists', 'list'], { home })).code).toBe(0);
});

describe.concurrent('a missing argument', () => {
  it('opens a list of names that typing narrows, and the command runs', async () => {
    const { screen, code } = await answering('entries count', [['Hiring', `hiri${enter}`]]);
    expect(code).toBe(0);
    expect(screen).toMatch(/✔ List: Hiring\n37\n$/);
  });

  it('is asked for after the one that it depends on, and named in the confirmation', async () => {
    const { screen, code } = await answering('entries delete', [
      ['Hiring', down + down + down],
      ['❯ Hiring', enter],
      ['Entry', `Nadia Torres${enter}`],
      ['Delete the entry "Nadia Torres"', `n`],
      ['n', enter],
    ]);
    expect([code, screen.includes('not confirmed; nothing was written')]).toEqual([1, true]);
    // Each answer ends its line.
    expect(screen).toMatch(/✔ Entry \(type to search\): Nadia Torres\n/);
    expect(screen).toMatch(/Delete the entry "Nadia Torres" of the list "Hiring"\? No\n/);
  });

  it.each([
    ['metrics get', 'Metric:', 'mrr', /2000608\.22\n$/],
    ['published periods', 'Company:', 'lumen', /2026-02 +month/],
    ['grants get', 'Grant:', 'cedar · all metrics', /cedar|Status|status/],
    ['attrs list', 'List:', 'Hiring', /stage/],
    ['profiles use', 'Profile:', 'demo', /Commands now use profile "demo"/],
  ])('of `%s` is chosen', async (line, question, name, says) => {
    const result = await answering(line, [[question, name + enter]]);
    expect(result.screen).toMatch(says);
    expect(result.code).toBe(0);
  });

  it.each([
    ['Esc', esc],
    ['^C', interrupt],
    ['^D', end],
  ])('is left at %s with nothing done', async (_, key) => {
    const leaving = [{}, { ACCESSIBLE: '1' }].map(async (env) => {
      // A lone escape is a key of a line there.
      const typed = 'ACCESSIBLE' in env && key === esc ? esc + enter : key;
      const { screen, code } = await answering('metrics get', [['arr', typed]], env);
      expect([code, screen.includes('interrupted at a prompt; nothing was changed\n')]).toEqual([130, true]);
    });
    await Promise.all(leaving);
  });

  it.each([
    ['entries list --no-input', {}, 'LIST is missing'],
    ['metrics get', { CI: '1' }, 'METRIC is missing'],
    ['entries create hiring', { COMEM_NO_INPUT: '1' }, '--title is required'],
  ])('of `%s` is not asked for with %j', async (line, env: Record<string, string>, says) => {
    const { screen, code } = await comem(line, env).ended;
    expect([code, screen.includes(says)]).toEqual([2, true]);
  });
});

describe.concurrent('entries create', () => {
  it('asks each value by its type, again after a mistake, and writes them', async () => {
    const list = await cli(['-p', 'demo', 'lists', 'create', 'Trips', '-o', 'id'], { home });
    expect(list.code).toBe(0);
    for (const attribute of [
      'Day --type date --required',
      'Cost --type currency --currency EUR',
      'Paid --type checkbox',
    ]) {
      const [name = '', ...flags] = attribute.split(' ');
      expect((await cli(['-p', 'demo', 'attrs', 'create', 'trips', name, ...flags], { home })).code).toBe(0);
    }
    const options = ['--type', 'select', '--option', 'Train', '--option', 'Plane'];
    expect((await cli(['-p', 'demo', 'attrs', 'create', 'trips', 'By', ...options], { home })).code).toBe(0);
    const { screen, code } = await answering('entries create trips -o json', [
      ['Title of the entry', `Oslo${enter}`],
      ['Day (2026-03-31 or today)', `soon${enter}`],
      ['date', `\u00152026-04-01${enter}`],
      ['Cost (an amount in EUR, Enter for none)', `120${enter}`],
      ['Paid:', `yes${enter}`],
      ['By:', `plane${enter}`],
    ]);
    expect(code).toBe(0);
    const entry = JSON.parse(screen.slice(screen.indexOf('\n{'), screen.lastIndexOf('}') + 1)) as {
      title: string;
      values: object;
    };
    expect(entry.title).toBe('Oslo');
    expect(entry.values).toMatchObject({ day: '2026-04-01', cost: 120, paid: true });
    const required = await answering('entries create trips --title Rome -o id', [['Day (', `2026-05-01${enter}`]]);
    expect(required.code).toBe(0);
  });
});

describe.concurrent('ACCESSIBLE=1', () => {
  it('asks line by line, numbered, and draws nothing', async () => {
    const { raw, code } = await answering(
      'metrics get',
      [
        ['Number, or text to search:', 'mrr\n'],
        ['Number, or text to search:', '1\n'],
      ],
      { ACCESSIBLE: '1' },
    );
    expect(code).toBe(0);
    expect(raw).not.toContain('\u001b');
    expect(raw).toContain('Metric:\r\n1. mrr: MRR\r\n2. arr: ARR\r\n');
  });
});

describe.concurrent('auth login', () => {
  it('asks again for a wrong key, and hides it', async () => {
    const server = createServer(({ headers }, reply) => {
      const isRight = headers.authorization === 'Bearer cmk_right';
      reply.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' });
      reply.end(
        JSON.stringify(
          isRight
            ? { companyId: '5b6f0f0e-0000-4000-8000-000000000001', definitions: [] }
            : { error: 'Invalid API key' },
        ),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const logins = [{}, { ACCESSIBLE: '1' }].map(async (env) => {
        const own = temporaryFolder();
        const url = `http://127.0.0.1:${port}`;
        const terminal = onTerminal(['auth', 'login', '-p', 'work', '--base-url', url, '--storage', 'file'], {
          home: own,
          env,
          columns: 200,
        });
        for (const [question, typed] of [
          ['API key', `cmk_wrong${enter}`],
          ['Try again, or press Esc', ''],
          ['API key', `cmk_right${enter}`],
          ['Session cookie', enter],
          ['Default company', enter],
        ] as const) {
          await terminal.shows(question);
          terminal.type(typed);
        }
        const { screen, code } = await terminal.ended;
        expect([code, screen.includes('cmk_'), screen.includes('Saved the API key')]).toEqual([0, false, true]);
      });
      await Promise.all(logins);
    } finally {
      server.close();
    }
  });
});
