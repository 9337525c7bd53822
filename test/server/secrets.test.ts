/** Keys, sessions and cursors are compared by one function, which takes as long for any text. */
import crypto from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/contract/index.ts';
import { operatorAccess } from '../../src/server/auth.ts';
import { openCursor, sealCursor } from '../../src/server/handlers/handler.ts';
import { sameSecret } from '../../src/server/model/secrets.ts';
import { companies, sessions, tokens, world } from './world.ts';

const compared: { pairs: [number, number][]; answer: boolean | undefined } = { pairs: [], answer: undefined };
const { timingSafeEqual } = crypto;

beforeAll(() => {
  crypto.timingSafeEqual = (a, b) => {
    compared.pairs.push([a.byteLength, b.byteLength]);
    return compared.answer ?? timingSafeEqual(a, b);
  };
  syncBuiltinESMExports();
});
afterEach(() => {
  compared.pairs = [];
  compared.answer = undefined;
});
afterAll(() => {
  crypto.timingSafeEqual = timingSafeEqual;
  syncBuiltinESMExports();
});

const server = new URL('../../src/server', import.meta.url).pathname;
const sources = readdirSync(server, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(join(server, name), 'utf8') }));

describe('secrets', () => {
  it('are compared in one place, and by no operator anywhere', () => {
    const where = (pattern: RegExp) => sources.filter(({ text }) => pattern.test(text)).map(({ name }) => name);
    expect(where(/timingSafeEqual/)).toEqual(['model/secrets.ts']);
    // Credentials and cursors are compared with words of the code only, and with the public id of the demo.
    const found = sources
      .filter(({ name }) => ['auth.ts', 'operator.ts', 'handlers/handler.ts'].includes(name))
      .flatMap(({ name, text }) =>
        [...text.matchAll(/\S+ [!=]==? (?!undefined\b|null\b|demo\.companyId\b|'|\d).*/g)].map(
          ([says]) => `${name}: ${says}`,
        ),
      );
    expect(found).toEqual([]);
  });

  it('of any length and likeness are compared over the same number of bytes', () => {
    for (const [a, b] of [
      ['', 'x'],
      ['a'.repeat(1000), 'b'],
      ['same', 'same'],
      ['😀', '\ud83d'],
    ] as const) {
      expect(sameSecret(a, b)).toBe(a === b);
    }
    expect(compared.pairs).toEqual(Array(4).fill([32, 32]));
  });

  it('are taken by that comparison and by nothing else', async () => {
    const w = await world();
    const query = { companyId: companies.fund };
    const operator = operatorAccess(w.store, { apiKey: 'cmk_operator', session: 'of-the-operator' });
    const asOperator = async () => [
      await operator?.(operations.createList, { authorization: 'Bearer cmk_operator' }),
      await operator?.(operations.listLists, { cookie: 'comem-auth-token=of-the-operator' }),
    ];
    const cursor = sealCursor('key', ['binding'], [1]);
    const byKey = () => w.call('createList', { query, body: { name: 'L' }, as: tokens.ann });
    const bySession = () => w.call('listLists', { query, as: sessions.ann });
    expect([(await byKey()).status, (await bySession()).status]).toEqual([201, 200]);
    expect(await asOperator()).toMatchObject([{ kind: 'api_key' }, { kind: 'session' }]);
    expect(openCursor('key', ['binding'], cursor)).toEqual([1]);
    expect(compared.pairs).toHaveLength(5);
    compared.answer = false;
    expect([(await byKey()).status, (await bySession()).status]).toEqual([401, 401]);
    expect(await asOperator()).toEqual([undefined, undefined]);
    expect(() => openCursor('key', ['binding'], cursor)).toThrow();
    await w.close();
  });
});
