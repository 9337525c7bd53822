import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { demo } from '../../src/core/demo.ts';
import { temporaryFolder } from '../helpers/cli.ts';
import { freshApi, run } from '../helpers/run.ts';

describe('--jq of a command that prints a document', () => {
  test('reads JSON', async () => {
    const { code, stdout } = await run(['server', 'openapi', '--jq', '.info.title']);
    expect([code, stdout]).toEqual([0, 'Company memory: custom lists and metrics\n']);
  });

  test('is refused for other text, and nothing is printed', async () => {
    const { code, stdout, stderr } = await run(['completion', 'bash', '--jq', '.']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--jq reads JSON');
  });
});

describe('words and flags', () => {
  test('a noun without a verb prints its help on stderr and is a usage error', async () => {
    const { code, stdout, stderr } = await run(['lists']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Usage: comem lists VERB');
  });

  test('with -h the same goes to stdout and is not an error', async () => {
    const { code, stdout, stderr } = await run(['lists', '-h']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Usage: comem lists VERB');
  });

  test.each([
    [['lst'], 'comem: unknown noun "lst"\n  hint: did you mean `comem lists`?\n'],
    [['entry', 'list'], /did you mean `comem entries list`\?/],
    [['company', 'list'], /did you mean `comem companies list`\?/],
    [['metric', 'live'], /did you mean `comem metrics live`\?/],
    [['lists', 'lst'], 'comem: unknown verb "lst" for `comem lists`\n  hint: did you mean `comem lists list`?\n'],
    [['-p', 'demo', 'lists', 'lst'], /did you mean `comem lists list -p demo`\?/],
    [['lists', 'lst', '--profile=acme'], /did you mean `comem lists list --profile acme`\?/],
    [['show', 'x'], /mean `comem lists get x`, `comem entries get x`, `comem metrics get x` or `comem grants get x`\?/],
    [['metrics', 'ls'], /did you mean `comem metrics catalog`\?/],
    [['metrics', 'delete', 'mrr'], /unknown verb "delete" for `comem metrics`\n {2}hint: use one of live, catalog/],
    [['metrics', 'mrr'], /unknown verb "mrr" for `comem metrics`\n {2}hint: use one of live, catalog/],
    [['grants', 'rm', 'x'], /did you mean `comem grants revoke x`\?/],
    [['attrs', 'describe', 'hiring'], /did you mean `comem attrs list hiring`\?/],
    [['companies', 'get'], /did you mean `comem companies list`\?/],
    [['companies', 'new', 'a', 'b'], /did you mean `comem companies add a b`\?/],
    [['profiles', 'edit', 'x'], /did you mean `comem profiles set x KEY=VALUE...`\?/],
    [['mirror', 'ls'], /did you mean `comem mirror status`\?/],
    [['auth', 'new'], /did you mean `comem auth login`\?/],
    [['auth', 'rm'], /did you mean `comem auth logout`\?/],
    [['entries', 'lists'], /"lists" is a noun, and `comem entries` needs a verb/],
    [['--hlep'], 'comem: unknown flag --hlep for `comem`\n  hint: did you mean --help?\n'],
    [['-z'], /unknown flag -z for `comem`\n/],
    [
      ['metrics', '--last', '3'],
      'comem: unknown flag --last for `comem metrics`\n  hint: run `comem metrics --help` to see its commands\n',
    ],
    [
      ['lists', 'update', 'x', '--nmae'],
      /unknown flag --nmae for `comem lists update`\n {2}hint: did you mean --name\?\n/,
    ],
    [['lists', '-o', 'json', '--profle=x'], /"unknown flag --profle for `comem lists`".*did you mean --profile/],
    [['server', 'keys', '-Z'], /unknown flag -Z for `comem server keys`\n/],
    [['lists', 'list', '--page-size', '5'], /--page-size is for commands that read page by page.*`comem lists list`/],
    [['metrics', 'catalog', '--page-size', '5'], /--page-size is for commands/],
    [['entries', 'list', 'x', '--page-size', '501'], /--page-size must be 1 to 500 here, got 501/],
    [['entries', 'get', 'x', 'y', '--page-size', '501'], /--page-size must be 1 to 500 here, got 501/],
    [['metrics', 'series', '--page-size', '101'], /--page-size must be 1 to 100 here, got 101/],
    [
      ['lists', 'list', '-o', 'spark'],
      /-o spark draws rows of periods with numbers, and `comem lists list` prints none/,
    ],
    [['lists', 'create', 'New', '-o', 'spark'], /-o spark draws/],
    [['lists', 'create', 'New', '--out', 'x.parquet.gz', '-o', 'xlsx', '--jq', '.'], /--jq prints JSON/],
    [['lists', 'create', 'New', '-o', 'parquet'], /-o parquet is a file/],
    [['lists', 'delete', 'hiring', '--yes', '--jq', '.'], /--jq is for commands that print a result/],
    [['lists', 'delete', 'hiring', '--yes', '-O', 'x.csv'], /--out is for commands that print a result/],
    [['attrs', 'delete', 'hiring', 'role', '--yes', '--fields', 'id'], /--fields is for commands that print/],
    [['metrics', 'series', '-o', 'id'], /-o id prints ids, and the rows of `comem metrics series` have none/],
    [['lists', 'diff', 'hiring', 'portfolio', '-o', 'id'], /-o id prints ids/],
    [['grants', 'revoke', ID(1), '-y', '--limit', '1'], /--limit would cut what is printed and not what is written/],
    [['entries', 'import', 'x', 'x.csv', '--limit', '1'], /--limit would cut what is printed .*\n {2}hint: omit it/],
    [['api', 'GET', '/api/lists', '-i', '--limit', '1'], /--include .*--limit/],
    [['api', 'GET', '/api/lists', '--raw', '--limit', '1'], /--raw .*--limit/],
    [['api', 'GET', '/api/lists', '-i', '--fail-empty'], /--include .*--fail-empty/],
    [['api', 'GET', '/api/lists', '--page-size', '1'], /--page-size goes with --paginate/],
    [['api', 'GET', '/api/lists', '--paginate', '--page-size', '1'], /--page-size: GET \/api\/lists has no pages/],
    [['api', 'GET', '/api/x', '--as', 'key', '--paginate', '--page-size', '1'], /not in the API description/],
    [['api', 'GET', '/api/metrics/series', '--paginate', '--page-size', '101'], /--page-size must be 1 to 100/],
    [
      ['api', 'GET', '/api/metrics/series', '-q', 'limit=3', '--paginate', '--page-size', '2'],
      /--page-size and -q limit say the same/,
    ],
    [
      ['help', 'exit-cods'],
      'comem: unknown noun or topic "exit-cods"\n  hint: did you mean `comem help exit-codes`?\n',
    ],
    [['lists', 'list', '--dry-run'], /--dry-run is for commands that write/],
    [['lists', 'list', '-c', ID(1), '-c', ID(2)], /-c was given 2 times/],
    [['lists', 'list', '-c', 'acme', '-c', 'umbrella'], /-c was given 2 times/],
    [['lists', 'list', '-p', 'dmo'], /unknown profile "dmo".*\n.*did you mean "demo"/],
  ])('%j says what is wrong', async (argv, expected) => {
    const { code, stdout, stderr, requests } = await run(argv);
    expect({ code, stdout, requests }).toEqual({ code: 2, stdout: '', requests: [] });
    if (typeof expected === 'string') expect(stderr).toBe(expected);
    else expect(stderr).toMatch(expected);
  });

  test('--page-size is the size of every page that a command reads', async () => {
    const sizes = async (...argv: string[]) =>
      (await run([...argv, '--page-size', '7'])).requests.flatMap(({ query }) => query.limit ?? []);
    expect(new Set(await sizes('entries', 'get', 'deal-pipeline', 'no such title', '-c', demo.companyId))).toEqual(
      new Set(['7']),
    );
    expect(new Set(await sizes('metrics', 'gaps', '-m', 'mrr'))).toEqual(new Set(['7']));
    const api = ['api', 'GET', '/api/metrics/series', '-q', 'periodType=month', '--paginate'];
    expect(new Set(await sizes(...api))).toEqual(new Set(['7']));
  });

  test('with JSON asked for, an error is one JSON line, also before anything is parsed', async () => {
    for (const asked of [['-o', 'json'], ['--json'], ['-ojson'], ['--output=ndjson'], ['--jq', '.']]) {
      const { stderr, code } = await run(['lists', 'lst', ...asked]);
      expect(code).toBe(2);
      expect(JSON.parse(stderr)).toEqual({
        error: {
          code: 'usage',
          message: 'unknown verb "lst" for `comem lists`',
          status: null,
          details: null,
          request: null,
          hint: expect.stringMatching(/^did you mean `comem lists list --?[oj]/),
          retryable: false,
          exitCode: 2,
        },
      });
      expect(stderr.trim().split('\n')).toHaveLength(1);
    }
  });

  test('help --json is the whole tree', async () => {
    const { stdout } = await run(['help', '--json']);
    const tree = JSON.parse(stdout) as { nouns: { name: string; commands: { path: string }[] }[] };
    const lists = tree.nouns.find(({ name }) => name === 'lists');
    expect(lists?.commands.map(({ path }) => path)).toContain('lists from-template');
  });

  test('help of a verb is the same in both ways of asking', async () => {
    const [one, other] = await Promise.all([run(['help', 'entries', 'ls']), run(['entries', 'list', '--help'])]);
    expect(one.stdout).toBe(other.stdout);
  });

  test.each([60, 80, 120])('help fits a screen of %i columns', async (columns) => {
    for (const words of [
      ['metrics', 'series'],
      ['entries', 'list'],
      ['grants'],
      ['flags'],
      ['environment'],
      ['exit-codes'],
    ]) {
      const { stdout } = await run(['help', ...words], { columns });
      const examples = stdout.split('\n').filter((line) => !/^ {2}(comem|\S+ .*\| comem)/.test(line));
      expect(
        examples.filter((line) => line.length > columns),
        words.join(' '),
      ).toEqual([]);
    }
  });
});

function ID(n: number): string {
  return `11111111-1111-4111-8111-${String(n).padStart(12, '0')}`;
}

describe('writes', () => {
  test('--dry-run goes through --jq', async () => {
    const dry = await run(['lists', 'delete', 'hiring', '--dry-run', '--jq', '.[0].method']);
    expect([dry.code, dry.stdout]).toEqual([0, 'DELETE\n']);
  });

  test('--dry-run prints the requests without credentials and sends nothing that writes', async () => {
    const { code, stdout, requests } = await run(['lists', 'create', 'Trial', '--dry-run']);
    expect(code).toBe(0);
    expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    const [request] = JSON.parse(stdout) as { method: string; headers: Record<string, string>; body: unknown }[];
    expect(request).toMatchObject({ method: 'POST', body: { name: 'Trial' } });
    expect(request?.headers.authorization).toBe('Bearer [redacted]');
    expect(stdout).not.toContain('cmk_');
  });

  test('a write says on stderr where it goes', async () => {
    const { stderr } = await run(['lists', 'create', 'Trial'], { transport: await freshApi() });
    expect(stderr).toMatch(/Writing to embedded: with profile "default", company c0ffee00-/);
    const quiet = await run(['lists', 'create', 'Trial', '--quiet'], { transport: await freshApi() });
    expect(quiet.stderr).toBe('');
  });

  test('what asks needs --yes where there is no terminal, and then nothing is written', async () => {
    const transport = await freshApi();
    const refused = await run(['lists', 'delete', 'hiring'], { transport });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('add --yes');
    expect(refused.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
    const done = await run(['lists', 'delete', 'hiring', '--yes'], { transport });
    expect(done.code).toBe(0);
    expect(done.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
  });

  test('CI and COMEM_NO_INPUT count as no terminal', async () => {
    for (const env of [{ CI: '1' }, { COMEM_NO_INPUT: '1' }]) {
      const { code, stderr } = await run(['lists', 'delete', 'hiring'], { tty: true, env });
      expect(code).toBe(2);
      expect(stderr).toContain('add --yes');
    }
  });

  test('a read-only profile writes nothing, but shows what it would', async () => {
    const home = homeWith({ readonly: true });
    const refused = await run(['-p', 'kept', 'lists', 'create', 'x'], { home });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('profile "kept" is read-only');
    expect(refused.requests).toEqual([]);
    expect((await run(['-p', 'kept', 'lists', 'create', 'x', '--dry-run'], { home })).code).toBe(0);
  });

  test('a protected profile wants the company named, and --yes is not enough', async () => {
    const home = homeWith({ protected: true });
    const transport = await freshApi();
    const create = (...more: string[]) => run(['-p', 'kept', 'lists', 'create', 'x', ...more], { home, transport });
    expect((await create('--yes')).stderr).toContain('give it with --confirm fund');
    expect((await create('--confirm', 'other')).code).toBe(2);
    const done = await create('--confirm', 'fund');
    expect(done).toMatchObject({ code: 0 });
    expect(done.stderr).toContain('company fund (c0ffee00-');
  });
});

function homeWith(guard: object): string {
  const home = temporaryFolder();
  const company = 'c0ffee00-0000-4000-8000-000000000001';
  const profile = { baseUrl: 'embedded:', company, companies: { fund: company }, ...guard };
  mkdirSync(join(home, 'config/comem'), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, 'config/comem/config.json'), JSON.stringify({ version: 1, profiles: { kept: profile } }), {
    mode: 0o600,
  });
  return home;
}

describe('what the API answers', () => {
  test('an answer that is not the API is exit 6, a broken program is exit 70 and asks for a report', async () => {
    const html = async () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: Buffer.from('<html>') });
    const strange = await run(['metrics', 'catalog'], { transport: html });
    expect(strange.code).toBe(6);
    const broken = async () => {
      throw new RangeError('oh');
    };
    const bug = await run(['metrics', 'catalog'], { transport: broken });
    expect(bug).toMatchObject({ code: 70, stdout: '' });
    expect(bug.stderr).toBe(
      'comem: this is a bug in comem: oh\n  hint: please report it with the command line; COMEM_DEBUG=1 shows where it happened\n',
    );
    const debugged = await run(['metrics', 'catalog'], { transport: broken, env: { COMEM_DEBUG: '1' } });
    expect(debugged.stderr).toContain('RangeError: oh\n    at ');
  });

  test('control sequences of an API do not reach a terminal', async () => {
    const error = JSON.stringify({ error: 'no \u001b[31mred\u001b[0m \u0007bell', status: 400 });
    const transport = async () => ({
      status: 400,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(error),
    });
    const shown = await run(['metrics', 'catalog'], { transport, tty: true });
    expect(shown.stderr).toContain('no red bell');
    expect(shown.code).toBe(6);
  });
});
