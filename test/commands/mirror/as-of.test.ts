/** `--as-of` and `--offline`: what a mirror answers is what the API answered then, byte by byte, for every command that reads. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readsData } from '../../../src/cli/applies.ts';
import { allCommands } from '../../../src/cli/tree.ts';
import { tree } from '../../../src/main.ts';
import { type PastWorld, pastWorld, randomOf } from '../../helpers/past-world.ts';

const seed = Number(process.env.COMEM_TEST_SEED ?? 15);

/** Of every command that reads, command lines whose answers are compared. ENTRY and GRANT are some of the time. */
const readings: Readonly<Record<string, readonly string[]>> = {
  'lists list': ['lists list -o json'],
  'lists get': ['lists get deal-pipeline -o json'],
  'lists pull': ['lists pull --out -'],
  'lists diff': ['lists diff deals.yaml'],
  'attrs list': ['attrs list deal-pipeline -o json'],
  'entries list': [
    'entries list deal-pipeline -o json --archived',
    'entries list deal-pipeline -o csv --filter stage=Sourced',
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
  'metrics bridge': ['metrics bridge arr -c lumen --from 2025-06 --to 2026-01 -o json'],
  'metrics variance': ['metrics variance -c lumen --last 6 -o json'],
  'metrics growth': ['metrics growth -c lumen -m mrr --last 6 -o json'],
  'metrics gaps': ['metrics gaps -c lumen -o json'],
  'metrics prefs get': ['metrics prefs get -o json'],
  'grants list': ['grants list -o json', 'grants list --all -o json'],
  'grants get': ['grants get GRANT -o json'],
  'grants audit': ['grants audit -o json'],
  'grants matrix': ['grants matrix -o json'],
  'grants expiring': ['grants expiring --within 30d -o json'],
  'published get': ['published get lumen -o json'],
  'published periods': ['published periods lumen -o json'],
  'published diff': ['published diff lumen -o json'],
  'published report': ['published report lumen -o md'],
  sql: ['sql select-all -o json'],
  api: ['api GET /api/metrics/catalog -c lumen -o json'],
  check: ['check checks.yaml -o json'],
  'check entries': ['check entries deal-pipeline -o json'],
  'check init': ['check init --out -'],
};

const statement =
  'select d.title, d.stage, (select count(*) from grants) as grants, (select count(*) from metric_points) as points from deal_pipeline d order by d.title, d.id';

interface Recorded {
  line: string;
  at: string;
  code: number;
  stdout: string;
}

const noNetwork = () => Promise.reject(new Error('a request was sent'));

describe('every command that reads', () => {
  let world: PastWorld;
  const recorded: Recorded[] = [];
  const argvOf = (line: string, ids: { ENTRY: string; GRANT: string }) =>
    line.split(' ').map((word) => {
      if (word === 'select-all') return statement;
      return word === 'ENTRY' || word === 'GRANT' ? ids[word] : word;
    });
  let ids = { ENTRY: '', GRANT: '' };

  it('is in the table, and nothing else', async () => {
    const all = (await allCommands(tree)).filter(readsData).map(({ path }) => path);
    expect(Object.keys(readings).sort()).toEqual(all.sort());
  });

  beforeAll(async () => {
    world = await pastWorld();
    const random = randomOf(seed);
    const lines = Object.values(readings).flat();
    const rounds = 3;
    ids = {
      ENTRY: JSON.parse((await world.run(['entries', 'list', 'deal-pipeline', '--limit', '1', '-o', 'json'])).stdout)[0].id,
      GRANT: JSON.parse((await world.run(['grants', 'list', '-o', 'json'])).stdout)[0].id,
    };
    for (let round = 0; round < rounds; round += 1) {
      for (let n = 0; n < 12; n += 1) {
        await world.edit(random);
        world.wait(random() * 3);
      }
      expect((await world.sync()).stderr).toContain('Sync');
      world.wait(random() * 30);
      const own = lines.filter((_, at) => at % rounds === round);
      for (const line of own) {
        const { code, stdout } = await world.run(argvOf(line, ids));
        recorded.push({ line, at: world.now(), code, stdout });
      }
      world.wait(1);
    }
    world.wait(1000);
  }, 120_000);

  it('answers as of a time as it did then, without a request', async () => {
    for (const { line, at, code, stdout } of recorded) {
      const argv = [...argvOf(line, ids), '--as-of', at, '--mirror', world.mirror];
      const then = await world.run(argv, { transport: noNetwork });
      expect({ line, at, code: then.code, stdout: then.stdout, stderr: then.code === code ? '' : then.stderr }).toEqual({
        line,
        at,
        code,
        stdout,
        stderr: '',
      });
    }
  }, 120_000);
});
