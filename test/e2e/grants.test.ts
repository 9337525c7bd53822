import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ids, type ServedWorld, servedWorld } from '../helpers/metrics-world.ts';

let world: ServedWorld;
beforeAll(async () => {
  world = await servedWorld();
});
afterAll(() => world.close());

const wrongKey = { COMEM_API_KEY: 'cmk_wrong-wrong-wrong' };

describe('grants', () => {
  it('list and get', async () => {
    const { stdout, stderr, code } = await world.comem(['grants', 'list', '--status', 'revoked', '-o', 'id']);
    expect([code, stderr, stdout]).toEqual([0, '', `${ids.revoked}\n`]);
    expect(await world.comem(['grants', 'list'], wrongKey)).toMatchObject({ code: 4, stdout: '' });
    expect(await world.comem(['grants', 'list', '--recipient', 'nobody'])).toMatchObject({ code: 3, stdout: '' });
    const one = await world.comem(['grants', 'get', ids.active, '--jq', '.status']);
    expect([one.code, one.stdout]).toEqual([0, 'active\n']);
    expect(await world.comem(['grants', 'get', ids.nothing])).toMatchObject({ code: 3, stdout: '' });
    expect(await world.comem(['grants', 'get', 'one'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('create', async () => {
    const create = ['grants', 'create', '--recipient-company', ids.investor, '-m', 'mrr', '--expires', '2026-12-31'];
    const { stdout, code } = await world.comem([...create, '-o', 'json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ metric_ids: ['mrr'], expires_at: '2026-12-31T23:59:59.000Z' });
    expect(await world.comem(create, wrongKey)).toMatchObject({ code: 4, stdout: '' });
    expect(await world.comem([...create, '--recipient-user', 'ann'])).toMatchObject({ code: 2, stdout: '' });
    // A field that the API refuses.
    expect(await world.comem([...create, '--body', 'note:=5'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('revoke', async () => {
    expect(await world.comem(['grants', 'revoke', ids.toGuest])).toMatchObject({ code: 2, stdout: '' });
    expect(await world.comem(['grants', 'revoke', ids.toGuest, '--yes'], wrongKey)).toMatchObject({ code: 4 });
    const stdin = [ids.toGuest, ids.revoked, ids.nothing, ''].join('\n');
    const many = await world.comem(
      ['grants', 'revoke', '-', '--yes', '-o', 'csv', '--fields', 'id,outcome'],
      {},
      stdin,
    );
    expect(many.code).toBe(7);
    expect(many.stdout).toBe(`id,outcome\n${ids.toGuest},revoked\n${ids.revoked},unchanged\n${ids.nothing},failed\n`);
    expect(many.stderr).toContain('1 of 3 grants');
    const again = await world.comem(['grants', 'revoke', ids.toGuest, '--yes', '--jq', '.[].outcome']);
    expect([again.code, again.stdout]).toEqual([0, 'unchanged\n']);
    expect(await world.comem(['grants', 'revoke', ids.nothing, '--yes'])).toMatchObject({ code: 3 });
  });
});
