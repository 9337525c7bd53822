import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TransportError } from '../../../src/core/errors.ts';
import type { Transport } from '../../../src/core/wire.ts';
import { ids, listsWorld, sent, type World } from '../../helpers/lists-world.ts';

let world: World;
beforeEach(async () => {
  world = await listsWorld();
});
afterEach(() => world.close());

const outcomes = (stdout: string) =>
  (JSON.parse(stdout) as { title: string | null; outcome: string }[]).map(
    ({ title, outcome }) => `${title} ${outcome}`,
  );
const patches = ({ requests }: { requests: { method: string; body: unknown }[] }) =>
  requests.filter(({ method }) => method === 'PATCH').map(({ body }) => body);

describe('entries update of many', () => {
  it('sends what differs, to what the expression chooses, and counts', async () => {
    const argv = ['entries', 'update', 'deals', '--where', 'amount > 5 and not (stage = "Won")', '--set', 'stage=Won'];
    const result = await world.run([...argv, '--set', 'hot=false', '--yes', '-o', 'json']);
    expect([result.code, outcomes(result.stdout)]).toEqual([0, ['Børealis updated']]);
    expect(patches(result)).toEqual([{ id: ids.borealis, values: { stage: 'o-won' } }]);
    expect(result.stderr).toContain('Plan: update 1 entry of the list "Deals".');
    expect(result.stderr).toContain('Børealis: stage Open → Won');
    expect(result.stderr).toContain('1 updated, 0 unchanged, 0 skipped, 0 failed.');
    const all = await world.run(['entries', 'update', 'deals', '--all', '--set', 'stage=Won', '-y', '-o', 'json']);
    expect(outcomes(all.stdout).sort()).toEqual([
      'Acme, "Rockets" unchanged',
      'Børealis unchanged',
      'Twin updated',
      'Twin updated',
    ]);
    const again = await world.run(['entries', 'update', 'deals', '--all', '--set', 'stage=Won', '-o', 'json']);
    expect([again.code, patches(again)]).toEqual([0, []]);
    expect(again.stderr).toContain('0 updated, 4 unchanged');
  });

  it.each([
    ['stage != "Wonn"', 'unknown option "Wonn" of stage'],
    ['stage = "Wonn"', 'did you mean Won?'],
    ['amount', 'amount is a number, not a condition'],
    ['size = "3"', 'size is a number, and "3" is text'],
    ['size = "3"', 'write 3 without quotes'],
    ['since >= 2024-13-01', '2024-13-01 is not a date'],
    ['since >= today - 30', 'write 30d for days'],
    ['score matches "(a+)+$"', 'score is a number, not text'],
    ['notes matches "(?=a)"', 'the syntax is that of RE2'],
  ])('chooses none by %s, and says what is wrong with it', async (where, message) => {
    for (const verb of [['update', '--set', 'size=1'], ['delete'], ['archive']]) {
      const [name = '', ...flags] = verb;
      const result = await world.run(['entries', name, 'deals', '--where', where, ...flags, '--yes']);
      expect([result.code, result.stdout, result.requests.filter(({ method }) => method !== 'GET')]).toEqual([
        2,
        '',
        [],
      ]);
      expect(result.stderr).toContain(message);
    }
  });

  it('leaves out entries whose value is empty, also after not, and says how many', async () => {
    const all = await world.json(['entries', 'list', 'deals']);
    const { stdout, stderr, code } = await world.run([
      'entries',
      'archive',
      'deals',
      '--where',
      'not (since >= 2025-01-01)',
      '--yes',
      '-o',
      'csv',
    ]);
    expect(code).toBe(0);
    const rows = stdout.trim().split('\n').slice(1);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toContain('Acme');
    expect(stderr).toContain(`Skipped ${(all as unknown[]).length - 1} entries where since is empty.`);
  });

  it('chooses what still holds an option that was removed, by its id', async () => {
    await world.run(['attrs', 'update', 'deals', 'stage', '--remove-option', 'Won', '-y']);
    const argv = ['entries', 'update', 'deals', '--where', 'stage = "o-won"', '--set', 'size=1', '-y', '-o', 'json'];
    const { code, stdout } = await world.run(argv);
    expect([code, outcomes(stdout)]).toEqual([0, ['Acme, "Rockets" updated']]);
  });

  it('writes nothing without --yes, and shows the requests under --dry-run', async () => {
    const argv = ['entries', 'update', 'deals', '--filter', 'stage=open', '--set', 'size=3'];
    const unasked = await world.run(argv);
    expect([unasked.code, unasked.stdout, patches(unasked)]).toEqual([2, '', []]);
    expect(unasked.stderr).toContain('Plan: update 1 entry');
    const dry = await world.run([...argv, '--dry-run']);
    expect([dry.code, patches(dry)]).toEqual([0, []]);
    expect(JSON.parse(dry.stdout)).toMatchObject([
      { method: 'PATCH', body: { id: ids.borealis, values: { size: 3 } } },
    ]);
  });

  it('takes ids and titles from stdin, narrowed by flags', async () => {
    const stdin = `${ids.acme.toUpperCase()}\r\n\nBørealis\n${ids.acme}\nOld deal\n`;
    const argv = ['entries', 'update', 'deals', '-', '--where', 'amount > 5', '--set', 'notes=x', '-y', '-o', 'json'];
    const result = await world.run(argv, { stdin });
    expect([result.code, JSON.parse(result.stdout)]).toEqual([
      0,
      [
        {
          id: ids.acme,
          title: 'Acme, "Rockets"',
          outcome: 'updated',
          error: null,
        },
        {
          id: ids.borealis,
          title: 'Børealis',
          outcome: 'updated',
          error: null,
        },
        {
          id: 'Old deal',
          title: null,
          outcome: 'skipped',
          error: expect.stringContaining('not chosen by the flags'),
        },
      ],
    ]);
  });

  it('is partly done where a name is unknown, and of the class that all share', async () => {
    const argv = ['entries', 'update', 'deals', '-', '--set', 'size=1', '-y', '-o', 'json'];
    const partly = await world.run(argv, {
      stdin: `${ids.nothing}\n${ids.old}\n`,
    });
    expect([partly.code, outcomes(partly.stdout)]).toEqual([7, ['null failed', 'Old deal updated']]);
    expect(partly.stderr).toContain('1 updated, 0 unchanged, 0 skipped, 1 failed.');
    expect((await world.run(argv, { stdin: `${ids.nothing}\n${ids.view}\n` })).code).toBe(3);
    const twin = await world.run(argv, { stdin: 'Twin\n' });
    expect([twin.code, patches(twin)]).toEqual([2, []]);
    const none = await world.run(argv, { stdin: '' });
    expect([none.code, none.stdout.trim()]).toEqual([0, '[]']);
  });

  it('continues after a failure and says which', async () => {
    const transport: typeof world.transport = async (request) =>
      request.method === 'PATCH' && String(request.body).includes(ids.borealis)
        ? {
            status: 422,
            headers: {},
            body: Buffer.from('{"error":"not this one","status":422}'),
          }
        : world.transport(request);
    const argv = ['entries', 'update', 'deals', ids.borealis, ids.acme, '--set', 'size=99', '-y', '-o', 'json'];
    const result = await world.run(argv, { transport });
    expect([result.code, outcomes(result.stdout)]).toEqual([7, ['Børealis failed', 'Acme, "Rockets" updated']]);
    expect(JSON.parse(result.stdout)[0].error).toContain('not this one');
  });

  it.each([
    [[], 'no entries are chosen'],
    [['--where', 'amuont > 1'], 'unknown name amuont'],
    [['--where', 'amount >'], '--where'],
    [['--all', '--search', 'x'], '--all chooses every entry'],
    [['--all', '--limit', '1'], '--limit'],
    [['--filter', 'stage=gone'], 'gone'],
  ])('refuses %j', async (flags, says) => {
    const result = await world.run(['entries', 'update', 'deals', ...flags, '--set', 'size=1', '-y']);
    expect([result.code, result.stdout, patches(result)]).toEqual([2, '', []]);
    expect(result.stderr).toContain(says);
  });
});

describe('entries archive, unarchive and delete of many', () => {
  it('archives what is chosen, and brings archived entries back', async () => {
    const archived = await world.run(['entries', 'archive', 'deals', '--search', 'twin', '-y', '-o', 'json']);
    expect(outcomes(archived.stdout)).toEqual(['Twin archived', 'Twin archived']);
    const back = await world.run(['entries', 'unarchive', 'deals', '--all', '-y', '-o', 'json']);
    expect(outcomes(back.stdout).sort()).toEqual(['Old deal unarchived', 'Twin unarchived', 'Twin unarchived']);
    const again = await world.run(['entries', 'unarchive', 'deals', '-', '-o', 'json'], { stdin: ids.old });
    expect([again.code, outcomes(again.stdout), patches(again)]).toEqual([0, ['Old deal unchanged'], []]);
  });

  it('deletes what is chosen', async () => {
    const argv = ['entries', 'delete', 'deals', '--where', 'amount = null and title = "Twin"'];
    const unasked = await world.run(argv);
    expect([unasked.code, sent(unasked).some((line) => line.startsWith('DELETE'))]).toEqual([2, false]);
    const gone = await world.run([...argv, '-y', '--concurrency', '1', '-o', 'json']);
    expect([gone.code, outcomes(gone.stdout)]).toEqual([0, ['Twin deleted', 'Twin deleted']]);
    expect((await world.run(['entries', 'count', 'deals', '--archived'])).stdout).toBe('3\n');
  });

  it('asks on a terminal, and takes no for an answer', async () => {
    const argv = ['entries', 'delete', 'deals', '--search', 'twin'];
    const question = 'Delete 2 entries of the list "Deals"?';
    const no = await world.run(argv, {
      tty: true,
      answers: [[question, 'n\r']],
    });
    expect([no.code, no.requests.some(({ method }) => method === 'DELETE')]).toEqual([1, false]);
    const yes = await world.run(argv, {
      tty: true,
      answers: [[question, 'y\r']],
    });
    expect([yes.code, yes.requests.filter(({ method }) => method === 'DELETE').length]).toEqual([0, 2]);
    expect(yes.stderr).toContain('2 deleted, 0 unchanged');
  });
});

describe('answers that are lost', () => {
  /** Carries out such requests, and drops their answers. */
  const dropping =
    (method: string): Transport =>
    async (request) => {
      const answer = await world.transport(request);
      if (request.method !== method) return answer;
      throw new TransportError('the connection was reset', true, 'network');
    };

  it.each([
    ['PATCH', ['update', 'deals', '--search', 'twin', '--set', 'size=7'], 'updated'],
    ['PATCH', ['archive', 'deals', '--search', 'twin'], 'archived'],
    ['DELETE', ['delete', 'deals', '--search', 'twin'], 'deleted'],
  ])('of %s %j: the list shows that the writes were made', async (method, argv, outcome) => {
    const options = { transport: dropping(method) };
    const result = await world.run(['entries', ...argv, '-y', '--retries', '0', '-o', 'json'], options);
    expect([result.code, outcomes(result.stdout)]).toEqual([0, [`Twin ${outcome}`, `Twin ${outcome}`]]);
  });

  it.each<[method: string, argv: string[], resource: object]>([
    ['POST', ['entries', 'create', 'deals', '--title', 'Lost', '--set', 'size=7'], { title: 'Lost' }],
    ['PATCH', ['entries', 'update', 'deals', 'Børealis', '--set', 'size=7'], { id: ids.borealis }],
    ['POST', ['lists', 'create', 'Lost'], { name: 'Lost' }],
    ['PATCH', ['lists', 'update', 'deals', '--description', 'Lost'], { description: 'Lost' }],
    ['POST', ['attrs', 'create', 'deals', 'Lost', '--type', 'text'], { name: 'Lost' }],
    ['PATCH', ['attrs', 'update', 'deals', 'notes', '--name', 'Lost'], { name: 'Lost' }],
    ['POST', ['grants', 'create', '--recipient', ids.borealis, '-m', 'mrr'], { metric_ids: ['mrr'] }],
  ])('of a single %s %j: the resource is found, printed and in the history', async (method, argv, resource) => {
    const written = await world.run([...argv, '--retries', '0', '-o', 'json'], { transport: dropping(method) });
    expect([written.code, written.stderr]).toEqual([0, expect.stringContaining('it was carried out')]);
    expect(JSON.parse(written.stdout)).toMatchObject(resource);
    const { stdout } = await world.run(['history', '-o', 'json']);
    expect(JSON.parse(stdout)[0]).toMatchObject({
      changed: expect.stringMatching(/^1 \w+ (?:created|changed)$/),
    });
    const undone = await world.run(['undo', '--yes']);
    expect([undone.code, undone.stderr]).toEqual([0, expect.stringMatching(/1 (?:restored|deleted|revoked)/)]);
  });

  it.each([
    ['POST', ['entries', 'create', 'deals', '--title', 'Lost']],
    ['PATCH', ['entries', 'update', 'deals', ids.borealis, '--set', 'size=7']],
  ])('of a single %s %j that was not carried out: it failed', async (method, argv) => {
    const transport: Transport = async (request) => {
      if (request.method !== method) return world.transport(request);
      throw new TransportError('the connection was reset', true, 'network');
    };
    const { code, stdout, stderr } = await world.run([...argv, '--retries', '0'], { transport });
    expect([code, stdout, stderr]).toEqual([5, '', expect.stringContaining('may have been carried out')]);
  });

  it('and of changes that were not made: they failed', async () => {
    const transport: Transport = async (request) => {
      if (request.method !== 'PATCH') return world.transport(request);
      throw new TransportError('the connection was reset', true, 'network');
    };
    const argv = ['entries', 'update', 'deals', '--search', 'twin', '--set', 'size=7', '-y', '--retries', '0'];
    const result = await world.run([...argv, '-o', 'json'], { transport });
    expect([result.code, outcomes(result.stdout)]).toEqual([5, ['Twin failed', 'Twin failed']]);
  });
});
