import { describe, expect, test } from 'vitest';
import { readRows, type TextFormat } from '../../../src/domain/import/file.ts';

const read = (text: string, format: TextFormat) => readRows(text, format, { name: 'f' });
const names = Array.from({ length: 100_000 }, (_, at) => `c${at}`);

describe('a table that is too wide, too long or too deep is refused', () => {
  test.each<[TextFormat, string, string]>([
    ['csv', `${names.join(',')}\n`, 'f, line 1: 100000 columns, and the limit is 16384'],
    ['csv', `a\n${'1,'.repeat(20_000)}\n`, 'f, line 2: 20001 columns, and the limit is 16384'],
    ['tsv', `${names.join('\t')}\n`, 'f, line 1: 100000 columns, and the limit is 16384'],
    ['ndjson', JSON.stringify(Object.fromEntries(names.map((name) => [name, 1]))), 'f: 16385 columns'],
    ['json', `[${JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])))}]`, 'f: 16385 columns'],
    ['csv', `a,${'x'.repeat(17_000_000)}`, 'a record of more than 16777216 characters'],
    ['ndjson', '['.repeat(200_000), 'f, line 1 is not JSON: nested deeper than 500 levels at column 501'],
    ['json', `[{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}]`, 'nested deeper than 500 levels'],
    ['yaml', `- a: ${'['.repeat(200_000)}`, 'nested deeper than 500 levels'],
  ])('%s %#', async (format, text, message) => {
    await expect(read(text, format)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining(message),
    });
  });

  test('a line without an end, in pieces', async () => {
    function* pieces() {
      for (let at = 0; at < 1000; at += 1) yield 'x'.repeat(65_536);
    }
    await expect(readRows(pieces, 'ndjson', { name: 'f' })).rejects.toThrow('a line of more than 16777216 characters');
  });

  test('but not 16,384 columns', async () => {
    const { headers } = await read(`${names.slice(0, 16_384).join(',')}\n${'1,'.repeat(16_383)}1\n`, 'csv');
    expect(headers).toHaveLength(16_384);
  });
});
