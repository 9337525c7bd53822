/** `entries import` in this process: what is sent, in every mode, and what is said. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../helpers/cli.ts';
import { ids, listsWorld, type World } from '../../helpers/lists-world.ts';
import type { RunOptions, RunResult } from '../../helpers/run.ts';

const constituents = readFileSync(fileURLToPath(new URL('../../data/sp500-constituents.csv', import.meta.url)), 'utf8');

let world: World;
let cwd: string;
beforeEach(async () => {
  world = await listsWorld();
  cwd = temporaryFolder();
});
afterEach(() => world.close());

function file(name: string, content: string | Buffer): string {
  writeFileSync(join(cwd, name), content);
  return name;
}
const load = (argv: string[], options: RunOptions = {}) =>
  world.run(['entries', 'import', ...argv], { cwd, home: cwd, ...options });
const writes = ({ requests }: RunResult) => requests.filter(({ method }) => method !== 'GET');
const bodies = (result: RunResult) => writes(result).map(({ body }) => body);
const counts = ({ stdout }: RunResult) =>
  Object.fromEntries(Object.entries(JSON.parse(stdout) as Record<string, number>).filter(([, count]) => count > 0));
const titles = async () =>
  ((await world.json(['entries', 'list', 'deals', '--archived'])) as { title: string }[]).map(({ title }) => title);

describe('options of new attributes', () => {
  const skip = ['--create-attrs', '--on-error', 'skip', '--yes', '-o', 'json'];
  const optionsSent = (result: RunResult) =>
    bodies(result).flatMap((body) => {
      const { name, config } = body as { name?: string; config?: { options: { label: string }[] } };
      return config === undefined ? [] : [[name, ...config.options.map(({ label }) => label)]];
    });

  it('are those of the rows that are written', async () => {
    const rows = ['title,kind', 'A,x', ',left out', 'B,y', 'Børealis,skipped', ''].join('\n');
    file('t.csv', rows);
    const skipped = await load(['deals', 't.csv', '--type', 'kind=select', '--mode', 'insert', ...skip]);
    expect([skipped.code, optionsSent(skipped)]).toEqual([7, [['kind', 'x', 'y']]]);
  });

  it.each(['bio, lokal', 'bio;lokal|regional', 'bio|lokal'])(
    'two words in one cell are asked about: %s',
    async (cell) => {
      file('t.csv', `title,tags\nA,"${cell}"\nB,bio\n`);
      const refused = await load(['empty', 't.csv', '--type', 'tags=multi_select', '--create-attrs', '--yes']);
      expect([refused.code, writes(refused)]).toEqual([2, []]);
      expect(refused.stderr).toMatch(
        /line 2, column tags: ".*" would be one option; for 2 write --type 'tags=multi_select' --map/,
      );
      const one = await load(['empty', 't.csv', '--type', 'tags=select', '--create-attrs', '--yes', '-o', 'json']);
      expect(optionsSent(one)).toEqual([['tags', cell, 'bio']]);
    },
  );

  it('are split as a mapping says', async () => {
    file('t.csv', 'title,Big tags\nA,"bio, lokal"\nB,bio\n');
    const split = ['--type', 'Big tags=multi_select', '--map', 'Big tags=Big tags|split(",")'];
    const result = await load(['empty', 't.csv', ...split, '--create-attrs', '--yes', '-o', 'json']);
    expect([result.code, optionsSent(result)]).toEqual([0, [['Big tags', 'bio', 'lokal']]]);
  });

  it.each([
    ['beside their parts', ['"bio, lokal"', 'bio', 'lokal', 'bio', 'lokal', 'bio', 'lokal', 'bio', '"bio, lokal"']],
    ['of their own', ['"bio, lokal"', '"bio, lokal"', '"bio, lokal"', 'fair', 'fair', 'fair']],
  ])('are not joined in a select %s', async (_, lines) => {
    file('t.csv', ['title,tags', ...lines.map((cell, index) => `${index},${cell}`), ''].join('\n'));
    const refused = await load(['empty', 't.csv', '--create-attrs', '--yes']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('"bio, lokal" would be one option')]);
  });
});

it('an alias without an anchor is an error with its line', async () => {
  file('t.yaml', '- title: A\n- title: B\n  notes: *missing\n');
  const { code, stderr, requests } = await load(['deals', 't.yaml', '--yes']);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/line 3.*missing/)]);
  expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

describe('a real table', () => {
  const sp500 = ['empty', 'sp.csv', '--key', 'symbol', '--map', 'Security=title', '--yes', '-o', 'json'];

  it('is imported in one command, then nothing, then ten changes', async () => {
    file('sp.csv', constituents);
    const first = await load([...sp500, '--create-attrs']);
    expect([first.code, counts(first)]).toEqual([0, { created: 503 }]);
    const attributes = (await world.json(['attrs', 'list', 'empty'])) as { name: string; attribute_type: string }[];
    expect(attributes.map(({ name, attribute_type }) => `${name}: ${attribute_type}`)).toEqual([
      'Symbol: text',
      'GICS Sector: select',
      'GICS Sub-Industry: text',
      'Headquarters Location: text',
      'Date added: date',
      'CIK: number',
      'Founded: text',
    ]);
    const entries = (await world.json(['entries', 'list', 'empty'])) as { title: string; position: number }[];
    const expected = constituents
      .split('\n')
      .slice(1, 4)
      .map((line) => line.split(',')[1]);
    expect(entries.slice(0, 3).map(({ title }) => title)).toEqual(expected);
    expect(entries.map(({ position }) => position)).toEqual(Array.from({ length: 503 }, (_, index) => index));

    const second = await load(sp500);
    expect([second.code, counts(second), writes(second)]).toEqual([0, { unchanged: 503 }, []]);

    const lines = constituents.split('\n');
    const changed = lines.map((line, index) =>
      index % 50 === 1 && index < 500 ? line.replace(/,[^,]*$/, ',1234') : line,
    );
    file('sp.csv', changed.join('\r\n'));
    const third = await load(sp500);
    expect(counts(third)).toEqual({ updated: 10, unchanged: 493 });
    expect(writes(third).map(({ method }) => method)).toEqual(Array(10).fill('PATCH'));
    for (const body of bodies(third)) expect(body).toEqual({ id: expect.any(String), values: { founded: '1234' } });
  }, 240_000);
});

describe('modes', () => {
  const rows = 'title,stage,amount\n"Acme, ""Rockets""",Open,1250000.50\nNew,Won,3\n';

  it('upsert by title, only in what differs', async () => {
    const result = await load(['deals', file('a.csv', rows), '--yes', '-o', 'json']);
    expect([result.code, counts(result)]).toEqual([0, { created: 1, updated: 1 }]);
    expect(bodies(result)).toEqual([
      { id: ids.acme, values: { stage: 'o-open' } },
      { title: 'New', position: expect.any(Number), values: { stage: 'o-won', amount: 3 } },
    ]);
    expect(result.stderr).toContain('line 2 "Acme, "Rockets"": stage Won → Open');
    expect(result.stderr).toContain('1 created, 1 updated, 0 unchanged, 0 skipped, 0 failed.');
    expect((await titles()).at(-1)).toBe('New');
  });

  it('a read-only profile is not written to, and can still be planned for', async () => {
    file('a.csv', rows);
    const set = ['profiles', 'set', 'safe', 'base-url=https://world.example', 'readonly=true'];
    expect((await world.run(set, { home: cwd, cwd })).code).toBe(0);
    const refused = await load(['deals', 'a.csv', '--yes'], { env: { COMEM_PROFILE: 'safe' } });
    expect([refused.code, writes(refused)]).toEqual([2, []]);
    expect(refused.stderr).toContain('profile "safe" is read-only');
    expect((await load(['deals', 'a.csv', '--plan-out', 'p.json'], { env: { COMEM_PROFILE: 'safe' } })).code).toBe(0);
  });

  it('shows how far it is on a terminal, and nothing of it elsewhere', async () => {
    file('a.csv', rows);
    // What takes no longer than a moment is not shown.
    let ms = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      ms += 400;
      return ms;
    });
    const { stderr } = await load(['deals', 'a.csv', '--yes'], { tty: true });
    clock.mockRestore();
    expect(stderr).toMatch(/. Importing: \d of 2, \d+ rows\/s/);
    expect((await load(['deals', 'a.csv', '--yes'])).stderr).not.toContain('Importing');
  });

  it('insert, update, sync and prune', async () => {
    file('a.csv', rows);
    const dry = async (...flags: string[]) => {
      const { stdout, requests } = await load(['deals', 'a.csv', '--dry-run', ...flags]);
      expect(requests.every(({ method }) => method === 'GET')).toBe(true);
      return (JSON.parse(stdout) as { method: string; body?: object }[]).map(
        ({ method, body }) => `${method} ${Object.keys(body ?? {})}`,
      );
    };
    expect(await dry('--mode', 'insert')).toEqual(['POST title,values,position']);
    expect(await dry('--mode', 'update')).toEqual(['PATCH id,values']);
    const kept = ['PATCH id,values', 'POST title,values,position'];
    expect(await dry('--mode', 'sync')).toEqual([...kept, ...Array(3).fill('PATCH id,archived')]);
    expect(await dry('--mode', 'sync', '--prune')).toEqual([...kept, ...Array(3).fill('DELETE ')]);
    const result = await load(['deals', 'a.csv', '--mode', 'sync', '--prune', '--yes', '-o', 'json']);
    expect(counts(result)).toEqual({ created: 1, updated: 1, deleted: 3 });
    expect(await titles()).toEqual(['Acme, "Rockets"', 'Old deal', 'New']);
  });

  it('an export, read back, changes nothing: CSV, TSV, JSON, NDJSON', async () => {
    for (const format of ['csv', 'tsv', 'json', 'ndjson']) {
      const { stdout } = await world.run(['entries', 'list', 'deals', '--archived', '-o', format]);
      const result = await load(['deals', '-', '--key', 'id', '--format', format, '-o', 'json'], { stdin: stdout });
      expect([format, result.code, counts(result), writes(result)]).toEqual([format, 0, { unchanged: 5 }, []]);
    }
  });

  it('does nothing without --yes, and asks for nothing when there is nothing to do', async () => {
    const unasked = await load(['deals', file('a.csv', rows)]);
    expect([unasked.code, unasked.stdout, writes(unasked)]).toEqual([2, '', []]);
    expect(unasked.stderr).toContain('+ create 1 entry');
    const empty = await load(['deals', file('b.csv', 'title,stage\nBørealis,open\n'), '-o', 'json']);
    expect([empty.code, counts(empty)]).toEqual([0, { unchanged: 1 }]);
  });
});

describe('a file with errors', () => {
  it('is refused whole, each cell by line and column', async () => {
    const text =
      'title,stage,amount,since,contact\nA,Won,-1,2024-02-30,a@b\n"B\nb",Lost,x,today,a@b.example\nA,,1,,\n,,,,a@b.example\n';
    const result = await load(['deals', file('bad.csv', text), '--yes']);
    expect([result.code, result.stdout, writes(result)]).toEqual([2, '', []]);
    expect(result.stderr.split('\n').filter((line) => line.startsWith('  line') || line.startsWith('comem'))).toEqual([
      'comem: bad.csv cannot be imported: 7 errors; nothing was written',
      '  line 2, column amount: amount must be at least 0, got -1',
      '  line 2, column since: "2024-02-30" is not a date that exists, as yyyy-mm-dd',
      '  line 2, column contact: contact must be an e-mail address, got "a@b"',
      '  line 3, column stage: unknown option "Lost" of stage; it takes one of: Open, Won; add it with --add-options',
      '  line 3, column amount: "x" is not a number such as 1,234.5',
      '  line 5, column title: the key "A" is on line 2 already; keys must be unique in the file',
      '  line 6, column title: the key is empty; every row needs one',
    ]);
    const json = await load(['deals', 'bad.csv', '--yes', '-o', 'json']);
    expect(JSON.parse(json.stderr.trim().split('\n').at(-1) ?? '').error.details.issues[3]).toMatchObject({
      line: 3,
      column: 'stage',
    });
  });

  it('lists the first thousand errors and counts all', async () => {
    const text = `title,amount\n${Array.from({ length: 3000 }, (_, n) => `E${n},x${n}\n`).join('')}`;
    const { code, stderr } = await load(['deals', file('worse.csv', text), '--yes']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('3000 errors, of which the first 1000 are listed; nothing was written'),
    ]);
    expect(stderr.match(/\n {2}line/g)).toHaveLength(1000);
  });

  it.each([
    [
      'an unknown column',
      'title,stagee\nA,x\n',
      [],
      /column stagee: the list has no attribute "stagee"; did you mean stage\?; match it with --map 'stagee=SLUG', leave it out with --map 'stagee=', or add it with --create-attrs/,
    ],
    [
      'two columns for one field',
      'title,notes,Notes\nA,x,y\n',
      [],
      /column Notes: .* fill values.notes; leave one out with --map 'Notes='/,
    ],
    [
      'no titles',
      'notes\nx\n',
      ['--key', 'notes'],
      /line 2: a new entry needs a title; name its column with --map 'COLUMN=title'/,
    ],
    [
      'no key',
      'name\nA\n',
      ['--map', 'name=notes'],
      /--key title: the file has no such column; it has name\n.*--map 'name=title'/,
    ],
    ['a short row', 'title,stage\nA\n', [], /line 2: the row has 1 cell, and the header has 2 cells/],
    ['an empty sync', 'title\n', ['--mode', 'sync'], /has no rows, and a sync with it would remove every entry/],
    ['prune alone', 'title\nA\n', ['--prune'], /needs --mode sync/],
    ['a key of many', 'title,tags\nA,climate\n', ['--key', 'tags'], /a multi_select has several values/],
    ['an unclosed quote', 'title\n"A\n', [], /f.csv, line \d: a quoted cell is not closed/],
    ['a broken workbook', 'PK\u0003\u0004', [], /f.csv cannot be read: it is not a whole zip file/],
    ['--type alone', 'title\nA\n', ['--type', 'title=text'], /needs --create-attrs/],
  ])('%s is refused by name', async (_, text, flags, message) => {
    const result = await load(['deals', file('f.csv', text), '--yes', ...flags]);
    expect([result.code, writes(result)]).toEqual([2, []]);
    expect(result.stderr).toMatch(message);
  });
});

describe('a file of another kind', () => {
  it.each(['x.ods', 'x.XLS', 'dir.csv/x.md'])('is refused by its name: %s', async (name) => {
    const result = await load(['deals', name.includes('/') ? name : file(name, 'title\nx'), '--yes']);
    expect([result.code, writes(result)]).toEqual([2, []]);
    expect(result.stderr).toMatch(/files are not supported[\s\S]*save it as CSV, TSV, JSON, NDJSON or XLSX/);
  });

  it('is read when --format says what it is', async () => {
    const result = await load(['deals', file('x.md', 'title\nx'), '--format', 'csv', '--yes', '-o', 'json']);
    expect([result.code, counts(result)]).toEqual([0, { created: 1 }]);
  });

  it('NDJSON has every line that is wrong named, and its place', async () => {
    const lines = '{"title":"a","size":1}\n{"title":"b",}\n[1]\n{"title":"c","size":"x"}\n';
    const result = await load(['deals', file('x.ndjson', lines), '--yes']);
    expect([result.code, writes(result)]).toEqual([2, []]);
    expect(result.stderr).toContain('3 errors; nothing was written');
    for (const place of ['line 2: is not JSON', 'line 3: must be an object', 'line 4, column size']) {
      expect(result.stderr).toContain(place);
    }
  });

  it.each([
    ['x.json', '[]'],
    ['x.ndjson', ''],
    ['x.ndjson', '\n\n'],
    ['x.csv', 'title,notes\n'],
  ])('without rows writes nothing and is not an error: %s %j', async (name, text) => {
    const result = await load(['deals', file(name, text), '-o', 'json']);
    expect([result.code, counts(result), writes(result)]).toEqual([0, {}, []]);
    const sync = await load(['deals', name, '--mode', 'sync', '--yes']);
    expect([sync.code, writes(sync)]).toEqual([2, []]);
    expect(sync.stderr).toContain('would remove every entry');
  });
});

it('reads Latin-1 with a note, semicolons, CRLF and a byte order mark', async () => {
  const latin = await load(['deals', file('l.csv', Buffer.from('title;notes\r\nCaf\xe9;"a\r\nb"', 'latin1')), '--yes']);
  expect([latin.code, bodies(latin)]).toMatchObject([0, [{ title: 'Café', values: { notes: 'a\r\nb' } }]]);
  expect(latin.stderr).toContain('l.csv is not UTF-8: it is read as windows-1252');
  const named = await load(['deals', '-', '--encoding', 'utf-8', '--yes'], { stdin: '\uFEFFtitle\nCafé' });
  expect([named.code, counts(await load(['deals', 'l.csv', '-o', 'json']))]).toEqual([0, { unchanged: 1 }]);
});

describe('a reviewed plan', () => {
  const make = async () => {
    file('a.csv', 'title,amount,Region\nBørealis,8,North\nNew,1,South\n');
    const made = await load(['deals', 'a.csv', '--create-attrs', '--type', 'Region=select', '--plan-out', 'plan.json']);
    expect([made.code, made.stdout, writes(made)]).toEqual([0, '', []]);
  };

  it('is executed as it stands, options by the ids that they got', async () => {
    await make();
    const done = await load(['deals', '--plan', 'plan.json', '--yes', '-o', 'json']);
    expect([done.code, counts(done)]).toEqual([0, { created: 1, updated: 1 }]);
    const [first, second] = bodies(done).slice(1) as { values: Record<string, unknown> }[];
    expect(first?.values).toEqual({ amount: 8, region: expect.stringMatching(/^opt_/) });
    expect(second?.values.region).not.toBe(first?.values.region);
    const again = await load(['deals', '--plan', 'plan.json', '--yes']);
    expect([again.code, writes(again)]).toEqual([2, []]);
  });

  it.each([
    ['a value has changed', ['entries', 'update', 'deals', ids.acme, '--set', 'amount=1']],
    ['an entry has gone', ['entries', 'delete', 'deals', ids.acme, '--yes']],
    ['an attribute has another name', ['attrs', 'update', 'deals', 'notes', '--name', 'Remarks']],
  ])('is refused when %s since', async (_, argv) => {
    await make();
    expect((await world.run(argv)).code).toBe(0);
    const result = await load(['deals', '--plan', 'plan.json', '--yes']);
    expect([result.code, writes(result)]).toEqual([2, []]);
    expect(result.stderr).toContain('the list "Deals" has changed since the plan was made; nothing was written');
  });

  it('is for its own list, and leaves nothing to decide', async () => {
    await make();
    const other = await load(['empty', '--plan', 'plan.json', '--yes']);
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('was made for the list "Deals"')]);
    const mixed = await load(['deals', 'a.csv', '--plan', 'plan.json']);
    expect([mixed.code, mixed.stderr]).toEqual([2, expect.stringContaining('FILE must not be given with it')]);
    const decided = await load(['deals', '--plan', 'plan.json', '--create-attrs']);
    expect(decided.stderr).toContain('--create-attrs has no effect');
    const none = await load(['deals', '--plan', file('no.json', '{}')]);
    expect(none.stderr).toContain('is not a plan');
  });
});

describe("another list's export", () => {
  it('as JSON makes the attributes and labels that it makes as CSV', async () => {
    const outcomes: unknown[] = [];
    for (const format of ['csv', 'json', 'ndjson', 'yaml']) {
      const { id } = (await world.json(['lists', 'create', `Copy ${format}`])) as { id: string };
      const fields = format === 'csv' ? ['--fields', 'title,stage,amount,notes'] : [];
      const exported = await world.run(['entries', 'list', 'deals', '--search', 'b', '-o', format, ...fields]);
      const result = await load([id, '-', '--create-attrs', '--yes', '-o', 'json'], { stdin: exported.stdout });
      expect([format, result.code, counts(result)]).toEqual([format, 0, { created: 1 }]);
      const { stdout } = await world.run(['entries', 'list', id, '-o', 'csv', '--fields', 'title,stage,amount,notes']);
      const attributes = (await world.json(['attrs', 'list', id])) as { slug: string; name: string }[];
      const known = attributes.filter(({ slug }) => ['stage', 'amount', 'notes'].includes(slug));
      outcomes.push([stdout, known.map(({ slug, name }) => [slug, name]).sort()]);
    }
    expect(outcomes).toEqual(Array(4).fill(outcomes[0]));
    expect(outcomes[0]).toEqual([expect.stringContaining('Open'), expect.anything()]);
  });
});

describe('a row that is too large for the API', () => {
  it('is refused with its line before the first write', async () => {
    const text = `title,notes\nsmall,x\nlarge,${'é'.repeat(600_000)}\n`;
    const result = await load(['deals', file('large.csv', text), '--yes']);
    expect([result.code, writes(result)]).toEqual([2, []]);
    expect(result.stderr).toMatch(/line 3: the row is 12\d{5} bytes as a request, and the API takes 1048576/);
  });

  it('also a value and a title that are larger than one may be, each with its column', async () => {
    const [text, title] = ['é'.repeat(131_073), 'x'.repeat(20_001)];
    const csv = `title,notes\nsmall,${'é'.repeat(131_072)}\nlarge,${text}\n${title},y\n`;
    const result = await load(['deals', file('values.csv', csv), '--yes']);
    expect([result.code, writes(result)]).toEqual([2, []]);
    expect(result.stderr).toContain('line 3, column notes: the value is 262146 bytes, and the API takes 262144');
    expect(result.stderr).toContain('line 4, column title: the title has 20001 characters, and the API takes 20000');
    expect(result.stderr).not.toContain('line 2');
  });
});

it('reads numbers of a country where their type is named', async () => {
  const text = 'title;betrag\nA;1.234,50\nB;2.000,00\nC;3,25\n';
  const argv = [
    'empty',
    file('de.csv', text),
    '--create-attrs',
    '--dry-run',
    '--jq',
    '.[].body.values.betrag // empty',
  ];
  const read = await load([...argv, '--type', 'betrag=number']);
  expect([read.code, read.stdout]).toEqual([0, '1234.50\n2000.00\n3.25\n']);
});

describe('a table of another program', () => {
  it('keeps its own columns as attributes, shown in the plan, and changes nothing the second time', async () => {
    const text = 'id,title,position,created_at\n1,A,CEO,2024-01-01\n2,B,CTO,2024-01-02\n3,C,,n/a\n';
    const argv = ['empty', file('own.csv', text), '--yes', '-o', 'json', '--create-attrs'];
    const first = await load(argv);
    expect([first.code, counts(first)]).toEqual([0, { created: 3 }]);
    expect(first.stderr).toContain('+ attribute "source id", number');
    expect(first.stderr).toContain('+ attribute "source position", text');
    expect(first.stderr).toContain('+ attribute "source created_at", text');
    const again = await load(argv);
    expect([again.code, counts(again)]).toEqual([0, { unchanged: 3 }]);
  });

  it('has a way in for its headers, and the hint names it', async () => {
    const name = file('odd.csv', 'sep=;\nid;title;Amount;Amount;\n7;Acme;1;2;x\n');
    const refused = await load(['deals', name, '--yes']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("--map 'id=SLUG'");
    expect(refused.stderr).toContain("--map '#4=SLUG'");
    expect(refused.stderr).toContain("--map '#5='");
    const flags = ['--map', 'id=', '--map', '#4=size', '--map', '#5=notes', '--yes', '-o', 'json'];
    const mapped = await load(['deals', name, ...flags]);
    expect(bodies(mapped)).toMatchObject([{ title: 'Acme', values: { amount: 1, size: 2, notes: 'x' } }]);
  });
});
