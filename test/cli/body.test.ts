import { describe, expect, it } from 'vitest';
import { bodyOf, changes, pair } from '../../src/cli/arguments.ts';
import { ExactNumber } from '../../src/core/json.ts';
import { scriptedContext } from '../helpers/scripted-context.ts';

const { ctx } = scriptedContext(() => ({}), {}, '{"name":"from stdin"}');

describe('pair', () => {
  it.each([
    ['a=b', { key: 'a', text: 'b' }],
    ['a=b=c', { key: 'a', text: 'b=c' }],
    ['a=', { key: 'a', text: '' }],
    ['a=:=b', { key: 'a', text: ':=b' }],
    ['a:=[1,true,null]', { key: 'a', json: [1, true, null] }],
    ['a:="b=c"', { key: 'a', json: 'b=c' }],
    ['a:=1.10', { key: 'a', json: new ExactNumber('1.10') }],
  ])('%s', (written, expected) => {
    expect(pair('--set', written)).toEqual(expected);
  });

  it.each([
    ['a', /--set takes KEY=VALUE or KEY:=JSON, got "a"/],
    ['=b', /--set takes KEY=VALUE/],
    [':=1', /--set takes KEY=VALUE/],
    ['', /--set takes KEY=VALUE/],
    ['a:=b', /--set a: not JSON/],
    ['a:=', /--set a: not JSON/],
  ])('refuses %j', (written, says) => {
    expect(() => pair('--set', written)).toThrow(says);
  });

  it('refuses JSON that is nested without end', () => {
    const nested = (depth: number) => `a:=${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(pair('--set', nested(500))).toMatchObject({ key: 'a' });
    expect(() => pair('--set', nested(501))).toThrow('--set a: not JSON: nested deeper than 500 levels');
    expect(() => pair('--set', nested(100_000))).toThrow('nested deeper than 500 levels');
  });
});

describe('bodyOf', () => {
  it('lays --data over named flags and --body over both, objects key by key, arrays whole', async () => {
    const named = { name: 'n', config: { min: 0, options: [{ label: 'a' }] } };
    const given = {
      data: '{"name":"d","config":{"options":[],"max":9},"x":1}',
      body: ['x=2', 'config.max:=5', 'deep.er:={"a":1}', 'deep.er.b:=2'],
    };
    expect(await bodyOf(ctx, named, given)).toEqual({
      name: 'd',
      config: { min: 0, max: 5, options: [] },
      x: '2',
      deep: { er: { a: 1, b: 2 } },
    });
    expect(named).toEqual({ name: 'n', config: { min: 0, options: [{ label: 'a' }] } });
  });

  it('reads --data from stdin and keeps numbers exact', async () => {
    expect(await bodyOf(ctx, {}, { data: '-' })).toEqual({ name: 'from stdin' });
    expect(await bodyOf(ctx, {}, { data: '{"a":1.10}' })).toEqual({ a: new ExactNumber('1.10') });
  });

  it('changes no prototype', async () => {
    const body = await bodyOf(ctx, {}, { body: ['__proto__.polluted=1', 'constructor.prototype.polluted=1'] });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.keys(body)).toEqual(['__proto__', 'constructor']);
  });

  it.each([
    [{ data: '[1]' }, /--data must be a JSON object/],
    [{ data: '1.10' }, /--data must be a JSON object/],
    [{ data: '{' }, /--data: not JSON/],
    [{ body: ['a..b=1'] }, /empty name between its dots/],
  ])('refuses %j', async (given, says) => {
    await expect(bodyOf(ctx, {}, given)).rejects.toThrow(says);
  });

  it('refuses an update that changes nothing', async () => {
    await expect(changes(ctx, {}, {})).rejects.toMatchObject({ kind: 'usage', message: 'nothing to change' });
    expect(await changes(ctx, {}, { body: ['color:=null'] })).toEqual({ color: null });
  });
});
