/** The commands that read the past, on the demo's mirror. What they compute is held in test/domain/history. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type RunOptions, run } from '../../helpers/run.ts';
import { sqlEngine } from '../../helpers/sql-engine.ts';

const folder = mkdtempSync(join(tmpdir(), 'comem-past-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const past = (argv: readonly string[], options: RunOptions = {}) =>
  run(['-p', 'demo', ...argv], { home: folder, ...options });

async function json(...argv: string[]) {
  const { stdout, stderr, code } = await past([...argv, '-o', 'json']);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

const path = 'Sourced,Screening,First meeting,Diligence,Term sheet,Invested';

describe('entries funnel', () => {
  it('counts the stages, with everything that a table leaves out', async () => {
    const rows = await json('entries', 'funnel', 'deal-pipeline', '--by', 'stage');
    expect(rows.map(({ stage }: { stage: string }) => stage)).toEqual([...path.split(','), 'Passed']);
    for (const row of rows) expect(row.left + row.staying + row.gone).toBe(row.entered);
    const some = await json('entries', 'funnel', 'deal-pipeline', '--by', 'stage', '--fields', 'stage,now,mean');
    expect(some[0]).toEqual({ stage: 'Sourced', now: rows[0].now, mean: expect.closeTo(8.9, 1) });
    const screen = await past([
      'entries',
      'funnel',
      'deal-pipeline',
      '--by',
      'stage',
      '--fields',
      'stage,mean',
      '-o',
      'table',
    ]);
    expect([screen.code, screen.stdout]).toEqual([0, expect.stringContaining('Mean of ended (days)')]);
    const counted = await json('entries', 'count', 'deal-pipeline', '--by', 'stage');
    expect(rows.map(({ stage, now }: { stage: string; now: number }) => ({ stage, count: now }))).toEqual(counted);
    expect(rows[0]).toMatchObject({ stageId: 'sourced', entered: 197, next: 140, median: { beyond: null } });
    expect(rows[0].to).toMatchObject({ Screening: rows[0].next });
    expect(rows.at(-1)).toMatchObject({ next: null, median: { time: null }, stale: null });
  });

  it('says in a table that fewer than half have ended', async () => {
    const { stdout } = await past(['entries', 'funnel', 'deal-pipeline', '--by', 'stage', '-o', 'md']);
    expect(stdout.split('\n').find((line) => line.startsWith('| Passed'))).toMatch(/ > \d+(\.\d)? \| > \d+/);
  });

  it('takes a path', async () => {
    const rows = await json('entries', 'funnel', 'deal-pipeline', '--by', 'stage', '--stages', path);
    expect(rows.at(-1)).toMatchObject({ stage: 'Invested', next: null });
  });

  it('lists what sits too long, and fails a job on it', async () => {
    const rows = await json('entries', 'funnel', 'deal-pipeline', '--by', 'stage', '--stale');
    for (const { days, usual } of rows) expect(days).toBeGreaterThan(usual);
    const [{ stage }] = rows;
    const ofStage = ['entries', 'funnel', 'deal-pipeline', '--by', 'stage', '--where', `stage = ${stage}`];
    expect(await json(...ofStage, '--stale')).toEqual(rows.filter((row: { stage: string }) => row.stage === stage));
    expect(await json(...ofStage)).toMatchObject([{ stage }]);
    const unknown = await past([...ofStage.slice(0, -1), 'stage = Screned']);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('unknown option "Screned" of stage')]);
    const { code, stderr } = await past(['entries', 'funnel', 'deal-pipeline', '--by', 'stage', '--fail-on', 'stale']);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`comem: ${rows.length} entries are stale\n`)]);
    expect(stderr).toMatch(/^\d+ stays began before the first sync: only Now, Stale and Already count them\./);
  });

  it('is drawn on the terminal, as SVG, PNG and a page', async () => {
    const draw = (...flags: string[]) => past(['entries', 'funnel', 'deal-pipeline', '--by', 'stage', ...flags]);
    expect((await draw('--chart')).stdout).toMatch(/Sourced +Entered +█+.* 197\n/);
    const inWords = ['entries', 'funnel', 'deal-pipeline', '--by', 'stage', '--type', 'bar'];
    const { stdout } = await past(inWords, { env: { ACCESSIBLE: '1' } });
    expect(stdout).toMatch(/^Entries by stage, Sourced to Passed\.\nEntered: /);
    expect(stdout).not.toContain('█');
    for (const name of ['f.svg', 'f.png', 'f.html']) {
      const { code, stderr } = await draw('--out', join(folder, name));
      expect(code, stderr).toBe(0);
    }
    expect(readFileSync(join(folder, 'f.svg'), 'utf8')).toMatch(/^<svg[^>]*aria-label="Deal pipeline: /);
    expect(readFileSync(join(folder, 'f.png')).subarray(1, 4).toString()).toBe('PNG');
    expect(readFileSync(join(folder, 'f.html'), 'utf8')).toContain('<h1>Deal pipeline</h1>');
  });

  it.each([
    [['--by', 'owners'], 3, 'comem: the list "Deal pipeline" has no attribute "owners"\n'],
    [['--by', 'founder'], 2, 'comem: --by founder is of the type text, and a funnel needs a select or status\n'],
    [['--by', 'stage', '--stages', 'Sourced,Sourced'], 2, 'comem: --stages names a stage twice\n'],
    [['--by', 'stage', '--from', 'spring'], 2, 'comem: --from must be a time, got "spring"\n'],
    [['--by', 'stage', '--stale', '--chart'], 2, 'comem: --type bar draws the funnel, and --stale lists entries\n'],
  ])('refuses %j', async (flags, code, says) => {
    const result = await past(['entries', 'funnel', 'deal-pipeline', ...flags]);
    expect([result.code, result.stderr.slice(0, says.length)]).toEqual([code, says]);
  });
});

describe('entries history', () => {
  it('has each change of a value, with labels', async () => {
    const rows = await json('entries', 'history', 'deal-pipeline', 'Fable Clinic', '--where', 'field = "stage"');
    expect(rows.map(({ before, after }: { before: string; after: string }) => `${before ?? ''} > ${after}`)).toEqual([
      ...[' > Sourced', 'Sourced > Screening', 'Screening > First meeting', 'First meeting > Diligence'],
      ...['Diligence > Term sheet', 'Term sheet > Diligence', 'Diligence > Term sheet', 'Term sheet > Invested'],
    ]);
    for (const { notBefore, at, seen } of rows) expect([notBefore < at, at <= seen]).toEqual([true, true]);
  });

  it('finds an entry by its id, and says what is near to an unknown title', async () => {
    const [{ id }] = JSON.parse(
      (await past(['entries', 'list', 'deal-pipeline', '--limit', '1', '-o', 'json'])).stdout,
    );
    expect(await json('entries', 'history', 'deal-pipeline', id)).not.toEqual([]);
    const { code, stderr } = await past(['entries', 'history', 'deal-pipeline', 'Fable Clinics']);
    expect([code, stderr]).toEqual([
      3,
      'comem: no entry of the list had the title "Fable Clinics" since the history begins\n  hint: did you mean "Fable Clinic"?\n',
    ]);
  });
});

it('metrics restatements runs changes', async () => {
  const rows = await json('-c', 'lumen', 'metrics', 'restatements', '-m', 'mrr');
  expect(rows).toMatchObject([{ what: 'mrr', where: '2024-11 actual', before: 546300.02, after: 528336.58 }]);
});

describe('changes', () => {
  it.each([['entries', 'deal-pipeline'], ['metrics'], ['grants'], ['published']])(
    '%s %s since a moment are those written from then on',
    async (...words) => {
      const key = ({ id, where, field, when, seen }: Record<string, string>) =>
        [id, where, field, when, seen].join(' ');
      const all: Record<string, string>[] = await json('changes', ...words, '--since', '3y');
      // A sync was at this moment.
      const moment = '2025-10-21T09:00:00.000Z';
      const since = await json('changes', ...words, '--since', moment);
      const truth = all.filter(({ when, seen = '' }) =>
        when ? Date.parse(when) >= Date.parse(moment) : Date.parse(seen) > Date.parse(moment),
      );
      expect(truth.length).toBeLessThan(all.length);
      expect(since.map(key).sort()).toEqual(truth.map(key).sort());
    },
  );

  it('since an age are as many as between its day and now', async () => {
    const since = await json('changes', 'entries', 'deal-pipeline', '--since', '7d', '--where', 'change = added');
    const states = ['--between', '2026-03-24T09:00:00Z', 'now', '--where', 'change = added'];
    expect(since).toHaveLength((await json('changes', 'entries', 'deal-pipeline', ...states)).length);
  });

  it('keep with --last the values of the newest periods, of series and of reports', async () => {
    const periodsOf = async (...words: string[]) => {
      const rows: Record<string, string>[] = await json('changes', ...words, '--since', '3y');
      return new Set(rows.flatMap(({ kind, where = '' }) => (kind === 'metric' ? [] : where.split(' ').slice(0, 1))));
    };
    expect(await periodsOf('metrics', '-m', 'mrr', '--last', '2')).toEqual(new Set(['2026-01', '2026-02']));
    expect(await periodsOf('published', '--last', '1')).toEqual(new Set(['2026-02']));
    expect((await periodsOf('metrics', '-m', 'mrr')).size).toBeGreaterThan(12);
    const entries = await json('changes', 'entries', 'deal-pipeline', '--since', '7d');
    expect(await json('changes', 'entries', 'deal-pipeline', '--since', '7d', '--last', '1')).toEqual(entries);
  });

  it('compare values of any type with a text', async () => {
    const rows = await json('changes', '--since', '90d', '--where', 'after = "Invested"', '--sort', 'before');
    expect(new Set(rows.map(({ after }: { after: string }) => after))).toEqual(new Set(['Invested']));
  });

  it.each([60, 100])('keep at %i columns what changed, and when', async (columns) => {
    const argv = ['changes', 'entries', 'deal-pipeline', '--since', '7d', '--limit', '8'];
    const { stdout } = await past(argv, { tty: true, columns, env: { COMEM_PAGER: 'cat' } });
    const [heading = '', ...lines] = stdout.split('\n');
    expect(heading).toMatch(/^What +Change +Field .*When$/);
    expect(lines.some((line) => /added +.*2026-03-\d\d/.test(line))).toBe(true);
    expect(stdout).toContain('2026-04-25');
  });

  it('say since when without --since, and lead from a list to its entries', async () => {
    expect((await past(['changes'])).stderr).toContain('Changes since 2026-03-01');
    const begins = /The history begins at \d{4}-\d\d-\d\d \d\d:\d\d.*: what changed before is not known\./;
    expect((await past(['changes', 'grants', '--since', '3y'])).stderr).toMatch(begins);
    expect((await past(['changes', 'grants', '--since', '30d'])).stderr).not.toMatch(begins);
    const { code, stderr } = await past(['changes', 'Deals']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('`comem -p demo changes entries Deals`')]);
  });
});

describe('published ledger', () => {
  it('counts by default what has changed since it could be read, as --seen-by lists it', async () => {
    for (const recipient of ['cedar', 'harbor', 'lumen']) {
      const rows: { changed: number }[] = await json('published', 'ledger', '--recipient', recipient);
      const values = await json('published', 'ledger', '--recipient', recipient, '--by', 'value', '--where', 'changed');
      const seen = await json('changes', '--seen-by', recipient, '--since', '3y', '--where', 'change = changed');
      expect(Math.max(...rows.map(({ changed }) => changed))).toBe(values.length);
      expect(
        values.map(({ metricId, periodKey }: Record<string, string>) => `${metricId} ${periodKey} actual`),
      ).toEqual(seen.map(({ what, where }: Record<string, string>) => `${what} ${where}`));
    }
    expect((await past(['published', 'ledger', '--fail-on', 'changed'])).code).toBe(1);
  });

  it('has the grants of several companies, with the day of a revocation', async () => {
    const rows = await json('-c', 'lumen', '-c', 'tessera', 'published', 'ledger');
    const [lumen] = rows;
    expect([lumen.company, lumen.changed, rows.length]).toEqual(['lumen', 3, 3]);
    const { stdout } = await past(['published', 'ledger'], { tty: true, columns: 80 });
    expect(stdout).toMatch(/^cedar .* revoked +revoked 2025-10-14 /m);
    const history = await past(['published', 'ledger', '--fields', 'recipient,history'], { tty: true, columns: 80 });
    expect(history.stdout).toMatch(/^lumen +latest$/m);
  });

  it('has the grants of each recipient, and what could be read under them', async () => {
    const rows = await json('published', 'ledger', '--recipient', 'cedar', '--on', '2025-03-01');
    expect(rows.map(({ state, values, changed }: Record<string, unknown>) => [state, values, changed])).toEqual([
      ['active', 280, 0],
      ['active', 2, 0],
      ['not yet', 0, 0],
    ]);
  });

  it('has the values of a day, and what they are now', async () => {
    const february = [
      'published',
      'ledger',
      '--recipient',
      'cedar',
      '--on',
      '2026-02-28',
      '--values',
      '--where',
      'changed',
    ];
    const rows = await json(...february);
    expect(rows).toMatchObject([
      { metricId: 'fund_nav', periodKey: '2025-12', value: 37190303.72, now: 36425370.93, outcome: 'restated' },
      { metricId: 'tvpi', periodKey: '2025-12', value: 1.62, now: 1.59, basis: 'series' },
    ]);
    const { code } = await past([...february, '--fail-on', 'changed']);
    expect(code).toBe(1);
  });

  it('knows reports to the version where the mirror has them', async () => {
    const rows = async (on: string) =>
      json(
        '-c',
        'lumen',
        'published',
        'ledger',
        '--recipient',
        'northgate',
        '--on',
        on,
        '--values',
        '-m',
        'mrr',
        '--where',
        'periodKey = "2024-11"',
      );
    expect(await rows('2025-01-31')).toMatchObject([{ value: 546300.02, now: 528336.58, basis: 'published' }]);
    expect(await rows('2025-02-28')).toMatchObject([{ value: 528336.58, now: 528336.58, outcome: 'unchanged' }]);
  });

  it('says where the history begins', async () => {
    const { code, stderr } = await past(['published', 'ledger', '--on', '2024-01-31']);
    expect([code, stderr.split('\n')[0]]).toEqual([
      3,
      'comem: --as-of is before the first sync of the mirror, at 2024-04-02 09:00',
    ]);
  });
});

describe('grants create --preview', () => {
  it('shows what was not readable, and sends no write', async () => {
    const argv = ['grants', 'create', '--recipient-company', 'lumen', '-m', 'fund_nav', '--historical', '--preview'];
    const { stdout, requests } = await past([...argv, '-o', 'json']);
    expect(JSON.parse(stdout)).toHaveLength(48);
    expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    const again = await past([
      'grants',
      'create',
      '--recipient-company',
      'cedar',
      '-m',
      'fund_nav',
      '--historical',
      '--preview',
      '-o',
      'json',
    ]);
    expect(JSON.parse(again.stdout)).toEqual([]);
  });
});

describe('mirror diff', () => {
  it('is what changes has between two times', async () => {
    expect(await json('mirror', 'diff', '2026-02', '2026-03')).toEqual(
      await json('changes', '--between', '2026-02', '2026-03'),
    );
  });

  it('finds grants', async () => {
    const rows = await json('mirror', 'diff', '2025-08-31', '2025-09-30', '--where', 'kind = grant');
    expect(rows.map(({ kind, change, what }: Record<string, string>) => [kind, change, what])).toEqual([
      ['grant', 'added', 'to harbor'],
      ['grant', 'added', 'to lumen'],
    ]);
  });

  it.each([
    [['2026-03', '2026-02'], 2, 'comem: A is after B\n'],
    [['2020'], 3, 'comem: A is before the first sync of the mirror, at 2024-04-02 09:00\n'],
  ])('refuses %j', async (argv, code, says) => {
    const result = await past(['mirror', 'diff', ...argv]);
    expect([result.code, result.stderr.slice(0, says.length)]).toEqual([code, says]);
  });

  it('fails a job when the two differ', async () => {
    expect((await past(['mirror', 'diff', '2026-02', '--exit-code'])).code).toBe(1);
  });
});

describe('changes', () => {
  it('lists each change of a list since a time, with the time of writing', async () => {
    const rows = await json(
      'changes',
      'entries',
      'deal-pipeline',
      '--since',
      '2026-03-01',
      '--where',
      'field = "stage"',
    );
    expect(rows.find(({ what }: { what: string }) => what === 'Lucid Shield')).toMatchObject({
      ...{ kind: 'entry', change: 'changed', where: 'deal-pipeline', before: 'Diligence', after: 'Term sheet' },
    });
    for (const { notBefore, when, seen } of rows) expect([notBefore < when, when <= seen]).toEqual([true, true]);
  });

  it('compares two times, and says which syncs these are', async () => {
    const between = ['changes', 'metrics', '--between', '2025-12', '2026-03'];
    const { stdout, stderr } = await past([
      ...between,
      '-m',
      'tvpi',
      '-o',
      'csv',
      '--fields',
      'change,what,where,after,note',
    ]);
    const until = 'with what the API dates until 2025-12-31 23:59';
    const note = `From the sync of 2025-12-30 09:00 ${until} to the sync of 2026-03-31 09:00.`;
    const rows = ['2025-12 actual,1.59', '2026-01 actual,1.59', '2026-02 actual,1.62'].map(
      (row) => `added,tvpi,${row},${note}\n`,
    );
    expect(stdout).toBe(`change,what,where,after,note\n${rows.join('')}`);
    expect(stderr).toBe(`${note}\n`);
    const swapped = ['changes', '--between', '2025-12', '2026-03', 'metrics', '-m', 'tvpi'];
    expect(await json(...swapped)).toEqual(await json(...between, '-m', 'tvpi'));
    expect((await past([...between, '--exit-code'])).code).toBe(1);
  });

  it('keeps what a recipient could read before it changed', async () => {
    expect(await json('changes', '--seen-by', 'cedar', '--since', '1y')).toMatchObject([
      { what: 'fund_nav', where: '2025-12 actual', before: 37190303.72, after: 36425370.93, difference: -764932.79 },
      { what: 'tvpi', where: '2025-12 actual', before: 1.62, after: 1.59 },
    ]);
  });

  it('has the values of a report that was sent again', async () => {
    const restated = ['-c', 'lumen', 'changes', 'published', '--since', '2y', '--where', 'change = changed'];
    expect((await json(...restated)).find(({ field }: { field: string }) => field === 'mrr')).toMatchObject({
      ...{ kind: 'published', where: '2024-11', before: 546300.02, after: 528336.58 },
    });
  });

  it('compares the newest sync with the API', async () => {
    const { stdout, code } = await past(['changes', '--live', '-o', 'json']);
    expect([code, JSON.parse(stdout)]).toEqual([0, []]);
  });

  it('compares two saved exports', async () => {
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const series = [
      file('a.csv', 'periodKey,version,mrr\n2024-01,actual,100\n'),
      file('b.csv', 'periodKey,version,mrr\n2024-01,actual,90\n'),
    ];
    expect(await json('changes', 'metrics', '--between', ...series)).toMatchObject([
      {
        change: 'changed',
        what: 'mrr',
        where: '2024-01 actual',
        before: 100,
        after: 90,
        difference: -10,
        percent: -10,
      },
    ]);
    const entries = [
      file('a.json', '[{"id":"1","title":"A","values":{"stage":"new"}},{"id":"2","title":"B","values":{}}]'),
      file('b.json', '[{"id":"1","title":"A","values":{"stage":"won"}}]'),
    ];
    expect(await json('changes', 'entries', '--between', ...entries)).toMatchObject([
      { change: 'changed', what: 'A', field: 'stage', before: 'new', after: 'won' },
      { change: 'removed', what: 'B', field: null },
    ]);
    // Without WHAT the files say what they hold.
    expect(await json('changes', '--between', ...entries)).toHaveLength(2);
    expect(await json('changes', '--between', ...series)).toMatchObject([{ kind: 'value', after: 90 }]);
    const keyed = [
      file('a.ndjson', '{"name":"A","site":"a.example"}\n{"name":"B","site":"b.example"}\n'),
      file('b.csv', 'site,name\na.example,C\nb.example,B\n'),
    ];
    expect(await json('changes', 'entries', '--between', ...keyed, '--key', 'site')).toMatchObject([
      { change: 'changed', what: 'a.example', field: 'name', before: 'A', after: 'C' },
    ]);
  });

  it.each([
    ['a,b\nx,y\n', [], 'has rows without id\n  hint: name another column with --key\n'],
    ['id,title\n1,A\n1,B\n', [], 'has several rows with id "1"\n'],
    ['id,stage\n1,A\n', ['--key', 'site'], 'has rows without site\n'],
  ])('refuses rows that nothing matches: %j %j', async (text, flags, says) => {
    const file = join(folder, 'rows.csv');
    writeFileSync(file, text);
    const { code, stderr } = await past(['changes', 'entries', '--between', file, file, ...flags]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
  });

  it('refuses exports that cannot be read, of values and of rows alike', async () => {
    for (const [name, text, says] of [
      ['cut.json', '[{"id":"1"', /cut\.json is not valid JSON: /],
      ['book.xlsx', 'PK', /book\.xlsx is a workbook or a Parquet file/],
    ] as const) {
      const file = join(folder, name);
      writeFileSync(file, text);
      for (const subject of ['metrics', 'entries']) {
        const { code, stderr } = await past(['changes', subject, '--between', file, file]);
        expect([subject, code, stderr]).toEqual([subject, 2, expect.stringMatching(says)]);
      }
    }
  });

  it.each([
    [
      ['metric'],
      'comem: WHAT is entries, metrics, grants, lists, published, got "metric"\n  hint: did you mean metrics?\n',
    ],
    [
      ['metrics', 'a.csv', 'b.csv'],
      'comem: WHAT is followed by no files\n  hint: two exports are compared with --between A B\n',
    ],
    [['grants', 'deals'], 'comem: "deals" is one word too many\n  hint: only `entries` takes a list\n'],
    [['--between', '2026-02'], 'comem: --between needs two states, A and B\n  hint: for all since A use --since\n'],
    [['--between', '2026-03', '2026-02'], 'comem: A is after B\n  hint: give the earlier time first\n'],
    [
      ['--live', '--since', '3d'],
      'comem: --since, --between and --live cannot be used together\n  hint: give one of them\n',
    ],
  ])('refuses %j', async (argv, says) => {
    const { code, stderr } = await past(['changes', ...argv]);
    expect([code, stderr]).toEqual([2, says]);
  });

  it('is listed, and its older names are not', async () => {
    expect((await past(['--help'])).stdout).toMatch(/ {2}changes {2,}What changed/);
    expect((await past(['mirror', '--help'])).stdout).not.toMatch(/^ {2}(diff|log) /m);
    expect((await past(['metrics', '--help'])).stdout).not.toMatch(/^ {2}(diff|restatements) /m);
  });
});

describe('comem sql', () => {
  const select = async (statement: string) => {
    const { stdout, stderr, code } = await past(['sql', statement, '-o', 'json'], { sqlEngine: await sqlEngine() });
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout);
  };

  it('has a table of the past for each of the present', async () => {
    expect(
      await select(`select seen_from, seen_to, value_text from metric_points_history
        where company = 'northgate' and metric_id = 'tvpi' and period_key = '2025-12' order by 1`),
    ).toEqual([
      { seen_from: '2026-01-20T09:00:00.000Z', seen_to: '2026-03-17T09:00:00.000Z', value_text: '1.62' },
      { seen_from: '2026-03-17T09:00:00.000Z', seen_to: null, value_text: '1.59' },
    ]);
    expect(await select('select count(*) n from deal_pipeline_history where seen_to is null')).toEqual([{ n: 400 }]);
    expect(await select('select count(*) n from attributes_history')).toEqual([{ n: expect.any(Number) }]);
    expect(
      await select("select count(*) n from grants_history where status = 'active' and seen_to is not null"),
    ).toEqual([{ n: 2 }]);
  });

  it('has the state at a sync as docs/history.md selects it, which --as-of reads', async () => {
    const page = readFileSync(new URL('../../../docs/history.md', import.meta.url), 'utf8');
    const [, statement = ''] = /comem -p demo sql "(select stage, count\(\*\) .*)"/.exec(page) ?? [];
    const states: { stage: string; 'count(*)': number }[] = await select(statement);
    const counts = await json('entries', 'count', 'deal-pipeline', '--by', 'stage', '--as-of', '2025-12-30T09:00Z');
    expect(new Map(states.map((row) => [row.stage, row['count(*)']]))).toEqual(
      new Map(counts.map(({ stage, count }: { stage: string; count: number }) => [stage, count])),
    );
  });
});

describe('without a mirror', () => {
  const network = { home: folder, network: true, env: { COMEM_BASE_URL: 'http://127.0.0.1:1' } };

  it.each([
    ['entries', 'history', 'deals', 'Acme'],
    ['entries', 'funnel', 'deals', '--by', 'stage'],
    ['metrics', 'restatements'],
    ['published', 'ledger'],
    ['mirror', 'diff', '2026-02'],
  ])('%s %s says how to make one', async (...argv) => {
    const { code, stderr } = await run(argv, network);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^comem: the past is read from a mirror, and none is set\n {2}hint: make one with `comem mirror sync DIR`/,
      ),
    ]);
  });

  it('names a folder that is not one', async () => {
    const { code, stderr } = await run(['metrics', 'restatements', '--mirror', join(folder, 'none')], network);
    expect([code, stderr]).toEqual([3, expect.stringContaining(`no folder ${join(folder, 'none')}`)]);
    expect(readdirSync(folder)).not.toContain('none');
  });
});
