import { describe, expect, it } from 'vitest';
import { parseJson } from '../../src/core/json.ts';
import { capture, type Deal, dealColumns, type Given } from './capture.ts';

const deals = parseJson(
  '[{"id":"d1","title":" a ","amount":1.10,"values":{"stage":"Won","x":1}},{"id":"d2","title":"b\\n","amount":12345678901234567890,"values":{}}]',
) as Deal[];

async function shown(given: Given): Promise<string> {
  const captured = capture(given);
  await captured.out.rows(deals, dealColumns);
  return captured.stdout();
}

describe('--fields', () => {
  it('keeps columns in the order asked for, by name or alias, hidden ones too', async () => {
    expect(await shown({ format: 'csv', fields: ['values.stage', 'id'] })).toBe('stage,id\nWon,d1\n,d2\n');
    expect(await shown({ format: 'table', fields: ['stage', 'id'] })).toBe(
      'stage  ID\nWon    d1\n       d2\n'.replace('stage', 'Stage'),
    );
  });

  it('keeps keys of JSON, nested ones in their place', async () => {
    expect(await shown({ format: 'ndjson', fields: ['stage', 'amount'] })).toBe(
      '{"values":{"stage":"Won"},"amount":1.10}\n{"values":{},"amount":12345678901234567890}\n',
    );
    expect(await shown({ format: 'yaml', fields: ['id'] })).toBe('- id: "d1"\n- id: "d2"\n');
  });

  it('refuses unknown names with the valid ones, before any row is read', async () => {
    const captured = capture({ format: 'csv', fields: ['titel'] });
    const refused = {
      kind: 'usage',
      message: '--fields: unknown column "titel"',
      hint: 'did you mean title? the columns are id, title, amount, open, at, tags, stage',
    };
    await expect(captured.out.rows(deals, dealColumns)).rejects.toMatchObject(refused);
    await expect(captured.out.value(deals[0] as Deal, dealColumns)).rejects.toMatchObject(refused);
    await expect(captured.out.check(dealColumns)).rejects.toMatchObject(refused);
    expect(captured.stdout()).toBe('');
  });

  it('help lists the columns as data, and reads nothing', async () => {
    const captured = capture({ fields: ['help'], limit: 1 });
    const never = (): Iterator<Deal> => {
      throw new Error('read');
    };
    await captured.out.rows({ [Symbol.iterator]: never }, dealColumns);
    const lines = captured.stdout().split('\n');
    expect(lines[0]).toBe('field\taliases\theading\ttype');
    expect(lines).toContain('stage\tvalues.stage\tStage\ttext');
    expect(lines).toHaveLength(dealColumns.length + 2);
    const before = capture({ fields: ['help'] });
    expect(await before.out.check(dealColumns)).toBe(false);
    expect(before.stdout()).toBe(captured.stdout());
    expect(await shown({ format: 'id', fields: ['help'] })).toBe('id\ntitle\namount\nopen\nat\ntags\nstage\n');
  });
});

describe('--jq', () => {
  it('is jq: strings raw, blanks kept, literals exact', async () => {
    expect(await shown({ jq: '.[] | .title, .amount' })).toBe(' a \n1.10\nb\n\n12345678901234567890\n');
    expect(await shown({ jq: 'map(.amount) | length, @csv' })).toContain('2\n');
    expect(await shown({ jq: '.[0].values' })).toBe('{\n  "stage": "Won",\n  "x": 1\n}\n');
    expect(await shown({ jq: 'empty' })).toBe('');
    expect(await shown({ jq: '-1' })).toBe('-1\n');
  });

  it('sees what --limit and --fields leave', async () => {
    expect(await shown({ jq: '.[] | tojson', limit: 1, fields: ['id'] })).toBe('{"id":"d1"}\n');
  });

  it('runs over objects and bare values', async () => {
    const object = capture({ jq: '.id' });
    await object.out.value(deals[0] as Deal, dealColumns);
    expect(object.stdout()).toBe('d1\n');
    const bare = capture({ jq: '.count + 1' });
    await bare.out.scalar(41, { count: 41 });
    expect(bare.stdout()).toBe('42\n');
    const whole = capture({ jq: '.n' });
    await whole.out.rows(deals, dealColumns, { whole: () => ({ n: 7 }) });
    expect(whole.stdout()).toBe('7\n');
  });

  it('refuses a program that does not compile in the words of jq', async () => {
    for (const jq of ['.[', '--help', 'nothing_here', '.a |']) {
      const captured = capture({ jq });
      await expect(captured.out.rows(deals, dealColumns), jq).rejects.toMatchObject({ kind: 'usage' });
      await expect(captured.out.check(), jq).rejects.toMatchObject({ kind: 'usage' });
      expect(captured.stdout()).toBe('');
    }
    await expect(capture({ jq: '.[' }).out.check()).rejects.toThrow('--jq: syntax error, unexpected end of file');
    await capture({ jq: '. # a remark' }).out.check();
    await capture({ jq: 'repeat(.)' }).out.check();
  });

  it('fails with 6 and an empty stdout when the program does not fit the data', async () => {
    const captured = capture({ jq: '.[0].id, .id' });
    await expect(captured.out.rows(deals, dealColumns)).rejects.toMatchObject({
      exitCode: 6,
      message: '--jq: Cannot index array with string ("id")',
    });
    expect(captured.stdout()).toBe('');
  });

  it('shows what jq says aside', async () => {
    const captured = capture({ jq: '.[0].id | debug' });
    await captured.out.rows(deals, dealColumns);
    expect([captured.stdout(), captured.stderr()]).toEqual(['d1\n', '["DEBUG:","d1"]\n']);
  });
});
