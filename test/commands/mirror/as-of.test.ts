/** `--as-of` and `--offline`: what a mirror answers is what the API answered then, byte by byte, for every command that reads. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readsData } from '../../../src/cli/applies.ts';
import { allCommands } from '../../../src/cli/tree.ts';
import { tree } from '../../../src/main.ts';
import { openExisting, writeMeta } from '../../../src/mirror/database.ts';
import { type PastWorld, pastWorld, randomOf } from '../../helpers/past-world.ts';
import { type RunOptions, run } from '../../helpers/run.ts';

const seed = Number(process.env.COMEM_TEST_SEED ?? 15);

/** Of every command that reads, command lines whose answers are compared. ENTRY and GRANT are some of the time. */
const readings: Readonly<Record<string, readonly string[]>> = {
  'lists list': ['lists list -o json'],
  'lists get': ['lists get deal-pipeline -o json'],
  'lists pull': ['lists pull -d FOLDER -o json'],
  'lists diff': [
    'lists diff deal-pipeline lists/deal-pipeline.yaml -o json',
    'lists diff deal-pipeline hiring -o json',
  ],
  'attrs list': ['attrs list deal-pipeline -o json'],
  'entries list': [
    'entries list deal-pipeline -o json --archived',
    'entries list deal-pipeline -o csv --filter stage=Passed',
    'entries list deal-pipeline -o json --search new --limit 5',
    'entries list deal-pipeline -o json --where valuation>1000000 --sort valuation:desc,title --limit 7',
    'entries list deal-pipeline -o ndjson --fields title,stage,updated_at --changed-since 2d',
  ],
  'entries count': ['entries count deal-pipeline', 'entries count deal-pipeline --by stage -o json'],
  'entries summarize': ['entries summarize deal-pipeline --by stage --agg count,sum(valuation) -o json'],
  'entries get': ['entries get deal-pipeline ENTRY -o json'],
  'metrics live': ['metrics live -c lumen -o json'],
  'metrics catalog': ['metrics catalog -c lumen -o json'],
  'metrics series': [
    'metrics series -c lumen -o json',
    'metrics series -c lumen -m mrr,burn --versions actual,budget --last 6 -o csv',
    'metrics series -c lumen -c northgate -m mrr --last 3 --order asc -o json',
  ],
  'metrics get': ['metrics get mrr -c lumen -o json'],
  'metrics table': ['metrics table -c lumen --last 6 -o json'],
  'metrics chart': ['metrics chart -c lumen -m mrr --last 6 -o json'],
  'metrics board': ['metrics board -c lumen --last 6 -o json'],
  'metrics bridge': ['metrics bridge -m arr -c lumen --from 2025-06 --to 2026-01 -o json'],
  'metrics variance': ['metrics variance -c lumen --last 6 -o json'],
  'metrics growth': ['metrics growth -c lumen -m mrr --last 6 -o json'],
  'metrics gaps': ['metrics gaps -c lumen -o json'],
  'metrics prefs get': ['metrics prefs get --investor northgate -o json'],
  'grants list': ['grants list -o json', 'grants list --where status=active -o csv'],
  'grants get': ['grants get GRANT -o json'],
  'grants audit': ['grants audit -o json'],
  'grants matrix': ['grants matrix -o json'],
  'grants expiring': ['grants expiring --within 30d -o json'],
  'published get': ['published get lumen -o json'],
  'published periods': ['published periods lumen -o json'],
  'published diff': ['published diff lumen -o json'],
  'published report': ['published report lumen --out -'],
  sql: ['sql DEALS -o json', 'sql POINTS -c lumen -o csv'],
  api: ['api GET /api/metrics/catalog -c lumen -o json'],
  check: ['check -f checks.yaml -o json'],
  'check entries': ['check entries deal-pipeline --expect unique(title) -o json'],
  'check init': ['check init deal-pipeline'],
};

const statements: Readonly<Record<string, string>> = {
  DEALS: 'select d.title, d.stage, (select count(*) from grants) as grants from deal_pipeline d order by d.title, d.id',
  POINTS: 'select metric_id, period_key, version, value from metric_points order by 1, 2, 3',
};

interface Recorded {
  line: string;
  at: string;
  code: number;
  stdout: string;
}

/** Edits whose time the API does not tell. */
const undated = ['delete'];

const noNetwork = () => Promise.reject(new Error('a request was sent'));

describe('every command that reads', () => {
  let world: PastWorld;
  const recorded: Recorded[] = [];
  const argvOf = (line: string, ids: Readonly<Record<string, string>>) =>
    line.split(' ').map((word) => {
      folders += 1;
      return word === 'FOLDER' ? `lists-${folders}` : (ids[word] ?? statements[word] ?? word);
    });
  let folders = 0;
  let ids: Record<string, string> = {};

  it('is in the table, and nothing else', async () => {
    const all = (await allCommands(tree)).filter(readsData).map(({ path }) => path);
    expect(Object.keys(readings).sort()).toEqual(all.sort());
  });

  beforeAll(async () => {
    world = await pastWorld();
    const random = randomOf(seed);
    const lines = Object.values(readings).flat();
    // The first round is answered at a sync, the second one between two: the API dates all that changed but deletions.
    const rounds = 2;
    ids = {
      ENTRY: JSON.parse((await world.run(['entries', 'list', 'deal-pipeline', '--limit', '1', '-o', 'json'])).stdout)[0]
        .id,
      GRANT: JSON.parse((await world.run(['grants', 'list', '-o', 'json'])).stdout)[0].id,
    };
    await world.run(['lists', 'pull', 'deal-pipeline']);
    for (let round = 0; round < rounds; round += 1) {
      const isDated = round === 1;
      for (let n = 0; n < 10; n += 1) {
        await world.edit(random, isDated ? undated : []);
        world.wait(random() * 3);
      }
      if (!isDated) expect((await world.sync()).stderr).toContain('Sync');
      world.wait(random() * 30);
      for (const line of lines) {
        const { code, stdout, stderr } = await world.run(argvOf(line, ids));
        recorded.push({ line, at: world.now(), code, stdout });
        expect({ line, code, stderr: code > 1 ? stderr : '' }).toEqual({ line, code: code === 1 ? 1 : 0, stderr: '' });
      }
      world.wait(1);
    }
    // Neither was there at the times before.
    await world.run(['entries', 'create', 'deal-pipeline', '--title', 'Later']);
    await world.run(['lists', 'create', 'Later']);
    expect((await world.sync()).stderr).toContain('Sync');
    world.wait(1000);
  }, 120_000);

  it('answers as of a time as it did then, without a request', async () => {
    const wrong: unknown[] = [];
    for (const { line, at, code, stdout } of recorded) {
      const argv = [...argvOf(line, ids), '--as-of', at, '--mirror', world.mirror];
      const then = await world.run(argv, { transport: noNetwork });
      const says = comparable(then.stdout);
      const was = comparable(stdout);
      if (then.code === code && says === was) continue;
      const from = [...was].findIndex((letter, place) => letter !== says[place]);
      const around = (text: string) => text.slice(Math.max(0, from - 100), from + 100);
      wrong.push({ line, at, code, was: around(was), says: around(says), now: then.code, stderr: then.stderr });
    }
    expect(wrong).toEqual([]);
  }, 120_000);
});

/** Without what is different in each run. */
const comparable = (text: string) =>
  text
    .replace(/lists-\d+/g, 'lists')
    .replace(/("durationMs": )\d+/g, '$1')
    .replace('<li>created ', '<li>as of ');

describe('a state of another time', () => {
  let world: PastWorld;
  let times: string[];

  beforeAll(async () => {
    world = await pastWorld();
    times = [];
    const ids = (await world.run(['entries', 'list', 'hiring', '--limit', '2', '-o', 'id'])).stdout.trim().split('\n');
    for (const [at, title] of ['First', 'Second'].entries()) {
      expect(await world.run(['entries', 'update', 'hiring', ids[at] ?? '', '--title', title])).toMatchObject({
        code: 0,
      });
      times.push(world.now());
      expect(await world.sync('--lists', 'hiring', '--metrics', 'mrr', '--from', '2025')).toMatchObject({ code: 0 });
      world.wait(48);
    }
  }, 60_000);

  const asked = (argv: readonly string[], options: RunOptions = {}) =>
    world.run([...argv, '--mirror', world.mirror], { transport: noNetwork, ...options });
  const titles = [
    'entries',
    'list',
    'hiring',
    '--where',
    'title in ("First", "Second")',
    '-o',
    'csv',
    '--fields',
    'title',
  ];

  it('is that of the newest sync until then, a day being its end', async () => {
    const [first = '', second = ''] = times;
    const day = first.slice(0, 10);
    const shown = (time: string) => time.slice(0, 16).replace('T', ' ');
    const said = async (...flags: string[]) => {
      const { code, stdout, stderr } = await asked([...titles, ...flags]);
      return [
        code,
        stdout.trim().split('\n').slice(1).join(),
        stderr.replaceAll(/\d+ (hour|day)s ago/g, 'AGO').replace(/^comem: warning: .* named: hiring\n/m, ''),
      ];
    };
    const atFirst = [0, 'First', `As of the sync of ${shown(first)} (AGO).\n`];
    const dated = (until: string) => [
      0,
      'First',
      `As of the sync of ${shown(first)} (AGO), with what the API dates until ${until}.\n`,
    ];
    const atSecond = [0, 'First,Second', `As of the sync of ${shown(second)} (AGO).\n`];
    const says = `As of the newest sync, ${shown(second)} (AGO): what changed since is not known.\n`;
    const newest = [0, 'First,Second', says];
    expect(await said('--as-of', first)).toEqual(atFirst);
    expect(await said('--as-of', day)).toEqual(dated(`${day} 23:59`));
    expect(await said('--as-of', '3d')).toEqual(
      dated(shown(new Date(Date.parse(world.now()) - 3 * 86_400_000).toISOString())),
    );
    expect(await said('--as-of', second)).toEqual(atSecond);
    expect(await said('--as-of', 'yesterday')).toEqual(newest);
    expect(await said('--as-of', '2030')).toEqual(newest);
    expect(await said('--offline')).toEqual(atSecond);
    // A mirror that is named is what is read.
    expect(await said()).toEqual(atSecond);
    expect(await said('--quiet')).toEqual([0, 'First,Second', '']);
  });

  it('is refused where nothing is known, and said where something is missing', async () => {
    const [first = ''] = times;
    const cases: [argv: string, code: number, says: RegExp][] = [
      [
        'lists list --as-of 2026-03-30',
        3,
        /^comem: --as-of 2026-03-30 is before the first sync .* at 2026-03-31 09:00\n.*hint: name a later/,
      ],
      ['lists list --as-of soon', 2, /^comem: --as-of must be a time, got "soon"\n/],
      ['entries list deal-pipeline --offline', 3, /deal-pipeline/],
      ['lists get c0ffee00-0000-4000-8000-0000000000ff --offline', 3, /the mirror does not hold this list/],
      [
        'metrics series -m arr --offline',
        3,
        /holds only the metrics that its syncs named: mrr\n.*the catalog has no metric "arr"/,
      ],
      ['metrics live -c harbor --offline', 3, /the mirror does not hold the company/],
      [
        'published get c0ffee00-0000-4000-8000-0000000000ff --offline',
        3,
        /the mirror does not hold what the company \S+ published/,
      ],
      [
        'entries create hiring --title X --offline',
        2,
        /--offline is for commands that only read, and `comem entries create` writes/,
      ],
      ['entries create hiring --title X --dry-run --as-of 1d', 2, /--as-of is for commands that only read/],
      ['entries dedupe hiring --key title', 2, /--mirror is for commands that only read/],
      ['api POST /api/lists -f name=X --offline --yes', 2, /a mirror is only read, and this request writes/],
      [
        'profiles list --offline',
        2,
        /--offline is for commands that only read, and `comem profiles list` does not read/,
      ],
      ['auth status --offline', 2, /--offline is for/],
    ];
    for (const [line, code, says] of cases) {
      const found = await asked(line.split(' '));
      expect({ line, code: found.code, stdout: found.stdout }).toEqual({ line, code, stdout: '' });
      expect(found.stderr, line).toMatch(says);
      expect(found.requests).toEqual([]);
    }
    expect((await asked(['lists', 'list', '-o', 'csv', '--fields', 'slug'])).stderr).toContain(
      'the mirror holds only the lists that its syncs named: hiring',
    );
    const series = await asked(['metrics', 'series', '-m', 'mrr', '--from', '2024', '-o', 'csv']);
    expect(series).toMatchObject({ code: 0, stderr: expect.stringContaining('the mirror holds series from 2025 on') });
    expect(first).not.toBe('');
  });

  it('goes through the same output', async () => {
    const jq = await asked(['entries', 'list', 'hiring', '--jq', 'length']);
    expect(jq).toMatchObject({ code: 0, stdout: '37\n' });
    const sorted = await asked([...titles, '--sort', 'title:desc', '--out', 'titles.csv']);
    expect(sorted).toMatchObject({ code: 0, stdout: '' });
    const raw = await asked(['api', 'GET', '/api/lists', '-c', 'northgate', '--raw']);
    expect(JSON.parse(raw.stdout)[0]).toMatchObject({ slug: 'hiring', list_attributes_count: 12 });
    expect((await asked(['entries', 'count', 'hiring', '--fail-empty', '--where', 'title = "None"'])).code).toBe(1);
  });

  it('needs a mirror, that of this API', async () => {
    const env = { COMEM_BASE_URL: 'https://api.example' };
    const none = await run(['lists', 'list', '--offline'], { env, transport: noNetwork });
    expect(none).toMatchObject({ code: 2, requests: [] });
    expect(none.stderr).toMatch(
      /the past is read from a mirror, and none is set\n.*`comem mirror sync DIR`.*mirror=DIR/,
    );
    const other = await run(['lists', 'list', '--mirror', world.mirror], {
      env: { COMEM_BASE_URL: 'https://api.example' },
      transport: noNetwork,
    });
    expect(other.code).toBe(2);
    expect(other.stderr).toMatch(
      /the mirror .* was made from embedded:, not from https:\/\/api.example \(COMEM_BASE_URL\)/,
    );
    const missing = await world.run(['lists', 'list', '--mirror', '/nonexistent/mirror']);
    expect(missing).toMatchObject({ code: 3, stdout: '' });
  });

  it('is read from a mirror of this comem only, or refused in one sentence', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'comem-as-of-'));
    const folderOf = (name: string, file?: string, text = '') => {
      mkdirSync(join(folder, name));
      if (file !== undefined) writeFileSync(join(folder, name, file), text);
      return join(folder, name);
    };
    const newer = join(folder, 'newer');
    expect(await world.run(['mirror', 'sync', newer, '--lists', 'hiring', '--metrics', 'none'])).toMatchObject({
      code: 0,
    });
    const opened = await openExisting(newer);
    await writeMeta(opened.db, 'schema_version', '99');
    await opened.close();
    const cases: [mirror: string, code: number, says: RegExp][] = [
      [
        folderOf('other', 'notes.txt', 'mine'),
        3,
        /^comem: \S+other is not a mirror: it has no mirror\.db\n {2}hint: .*\n$/,
      ],
      [
        folderOf('text', 'mirror.db', 'no database at all'),
        2,
        /^comem: the mirror in \S+text is damaged, .*\n {2}hint: .*\n$/,
      ],
      [folderOf('begun', 'mirror.db'), 3, /^comem: the mirror in \S+begun has no completed sync\n {2}hint: .*\n$/],
      [
        newer,
        2,
        /^comem: the mirror in \S+newer was written by a newer comem \(schema 99, known \d\)\n {2}hint: update comem, .*\n$/,
      ],
    ];
    for (const [mirror, code, says] of cases) {
      for (const flags of [['--offline'], ['--as-of', 'now']]) {
        const found = await world.run(['lists', 'list', '--mirror', mirror, ...flags], { transport: noNetwork });
        expect({ mirror, code: found.code, stdout: found.stdout }).toEqual({ mirror, code, stdout: '' });
        expect(found.stderr).toMatch(says);
      }
    }
    rmSync(folder, { recursive: true });
  });

  it('is of one API: a list of another profile is not compared with it', async () => {
    const [first = ''] = times;
    const argv = ['lists', 'diff', 'hiring', 'demo:hiring', '--as-of', first];
    const found = await asked(argv);
    expect(found).toMatchObject({ code: 2, stdout: '', requests: [] });
    expect(found.stderr).toContain('comem: a mirror holds one API, and this command reads another one too\n');
    expect(await asked(['lists', 'diff', 'hiring', 'hiring', '--as-of', first])).toMatchObject({ code: 0 });
  });

  it('refuses what the API refused: the history of a grant without it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'comem-as-of-'));
    expect((await world.run(['mirror', 'sync', folder, '--lists', 'none', '--metrics', 'none'])).code).toBe(0);
    const kept = (...argv: string[]) => world.run([...argv, '--mirror', folder], { transport: noNetwork });
    const line = ['published', 'get', 'harbor', '--from', '2025-01'];
    const live = await world.run(line);
    const then = await kept(...line, '--as-of', world.now());
    expect(live.stderr).toContain('Choosing periods needs a grant with historical access');
    expect(then).toMatchObject({ code: live.code, stdout: '', requests: [] });
    expect(then.stderr).toContain(live.stderr);
    const newest = ['published', 'get', 'harbor', '-o', 'json'];
    expect((await kept(...newest, '--offline')).stdout).toBe((await world.run(newest)).stdout);
    rmSync(folder, { recursive: true });
  });

  it('needs no address, company or credential', async () => {
    const env = { COMEM_BASE_URL: undefined, COMEM_COMPANY_ID: undefined, COMEM_MIRROR: world.mirror };
    const found = await run(['entries', 'count', 'hiring', '--offline'], { env, network: true });
    expect(found).toMatchObject({ code: 0, stdout: '37\n' });
  });

  it('is only asked for: the mirror of the profile or the environment changes nothing', async () => {
    const env = { COMEM_MIRROR: world.mirror };
    const live = await run(['lists', 'list', '-o', 'csv'], { env, transport: world.api });
    expect(live.requests.length).toBeGreaterThan(0);
    const home = mkdtempSync(join(tmpdir(), 'comem-home-'));
    const set = await run(['profiles', 'set', 'demo', `mirror=${world.mirror}`], { home });
    expect(set.code).toBe(0);
    const kept = await run(['profiles', 'get', 'demo', '--jq', '.mirror'], { home });
    expect(kept.stdout.trim()).toBe(world.mirror);
    const then = await run(['-p', 'demo', 'entries', 'count', 'hiring', '--offline'], { home, transport: noNetwork });
    expect(then).toMatchObject({ code: 0, stdout: '37\n' });
    rmSync(home, { recursive: true });
  });
});
