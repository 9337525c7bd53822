/** How many modules a command goes through: few enough to follow it from argv to its first request. */
import { expect, test } from 'vitest';
import { modulesBeforeFirstRequest } from './helpers/modules.ts';

test('metrics series loads few modules before its first request', async () => {
  const loaded = await modulesBeforeFirstRequest(['metrics', 'series', '-m', 'mrr,arr', '--last', '12', '-o', 'csv']);
  expect(loaded).toContain('client/series.ts');
  expect(loaded).not.toContain('domain/series/derive.ts');
  const own = loaded.filter((file) => /^(commands\/metrics|domain\/series|client\/series)/.test(file));
  expect(own.length).toBeLessThanOrEqual(14);
  expect(loaded.length, loaded.join('\n')).toBeLessThanOrEqual(60);
});
