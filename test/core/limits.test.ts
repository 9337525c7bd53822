import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as limits from '../../src/core/limits.ts';

test('every limit is in docs/scripting.md', () => {
  const text = readFileSync('docs/scripting.md', 'utf8');
  const [, section = ''] = /\n## Limits\n([\s\S]*?)\n## /.exec(text) ?? [];
  const stated = new Set((section.match(/\d[\d,]*/g) ?? []).map((number) => Number(number.replaceAll(',', ''))));
  for (const [name, limit] of Object.entries(limits)) expect(stated, `${name} = ${limit}`).toContain(limit);
});
