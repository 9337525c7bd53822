import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ExactNumber, numeric } from '../../src/core/json.ts';
import { placesOf, readYaml, writeYaml } from '../../src/core/yaml.ts';

const value = async (text: string) => (await readYaml(text, 'f.yaml')).value;

describe('readYaml', () => {
  test('keeps the digits of numbers, and dates as text', async () => {
    const text = 'a: 1.10\nb: 12345678901234567890\nc: 2006\nd: 2006-01-01\ne: "1.10"\nf: -0.5e3\n';
    expect(await value(text)).toEqual({
      a: new ExactNumber('1.10'),
      b: new ExactNumber('12345678901234567890'),
      c: 2006,
      d: '2006-01-01',
      e: '1.10',
      f: new ExactNumber('-0.5e3'),
    });
  });

  test('keeps keys as they are written', async () => {
    expect(await value('2006: 1\n1.10: 2\n__proto__: 3\n')).toEqual(
      Object.fromEntries([
        ['2006', 1],
        ['1.10', 2],
        ['__proto__', 3],
      ]),
    );
  });

  test('follows aliases, and refuses those without end', async () => {
    expect(await value('a: &x [1]\nb: *x')).toEqual({ a: [1], b: [1] });
    await expect(value('a: &x [*x]')).rejects.toMatchObject({
      message: expect.stringContaining('inside its own value'),
    });
    const bomb = ['a0: &a0 [x]'];
    for (let depth = 1; depth < 8; depth += 1) bomb.push(`a${depth}: &a${depth} [${`*a${depth - 1}, `.repeat(9)}]`);
    await expect(value(bomb.join('\n'))).rejects.toMatchObject({ message: expect.stringContaining('aliases') });
  });

  test.each([
    ['a: 1\na: 2\n', 'f.yaml, line 2, column 1: Map keys must be unique'],
    ['a: 1\n---\nb: 2\n', 'f.yaml, line 2, column 1: a second document starts here; only one is allowed'],
  ])('says where %j is wrong', async (text, message) => {
    await expect(value(text)).rejects.toMatchObject({ kind: 'usage', message });
  });

  test('knows where values stand, and the nearest of what is missing', async () => {
    const { place } = await readYaml('a:\n  - x: 1\n    y: 2\n  - {}\n', 'f.yaml');
    expect(place('a.0.x')).toEqual({ line: 2, column: 8 });
    expect(place('a.0.y')).toEqual({ line: 3, column: 8 });
    expect(place('a.1.nothing')).toEqual({ line: 4, column: 5 });
    expect(place('')).toEqual({ line: 1, column: 1 });
  });

  test('places of JSON', async () => {
    const place = await placesOf('{\n\t"a": [1,\n  {"b": 2}]\n}');
    expect(place('a.1.b')).toEqual({ line: 3, column: 9 });
  });
});

test('writeYaml gives back what readYaml reads', async () => {
  const number = fc
    .tuple(fc.bigInt(), fc.option(fc.stringMatching(/^\d{1,20}$/), { nil: undefined }))
    .map(([whole, fraction]) => numeric(fraction === undefined ? String(whole) : `${whole}.${fraction}`));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      number,
      fc.string({ unit: 'grapheme' }),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('tree')),
      fc.dictionary(fc.string({ minLength: 1 }), tie('tree'), { noNullPrototype: true }),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(tree, async (wanted) => {
      const text = writeYaml(wanted);
      expect(await value(text), text).toEqual(wanted);
    }),
  );
});

test('writeYaml leaves no string and no key to the rules of a reader', () => {
  const words = ['y', 'No', 'ON', 'off', 'true', 'Null', '~', '', '1:30', '2024-01-02', '2024-01-02T03:04:05Z', '0x1F'];
  const texts = [...words, '1_000', '.inf', '-', '?', '- a', 'a: b', 'a #b', '*a', '&a', '!a', '%a', '@a', '---', 'x'];
  const wanted = { texts, nested: [[texts, []], {}], ...Object.fromEntries(texts.map((text) => [text, text])) };
  const text = writeYaml({ ...wanted, ['long key '.repeat(200)]: { a: [1] } });
  for (const version of ['1.1', '1.2'] as const) {
    expect(parse(text, { version }), text).toEqual({ ...wanted, ['long key '.repeat(200)]: { a: [1] } });
  }
  for (const line of writeYaml(texts).trimEnd().split('\n')) expect(line).toMatch(/^- ".*"$/);
  expect(text).toContain('\nx: "x"\n');
});

test('writeYaml escapes what other readers refuse or take for a line break', async () => {
  const hostile = [
    '\uFFFE',
    '\uFFFF',
    '\u2028',
    '\u2029',
    '\u0085',
    '\u0001',
    '\u007F',
    '\u009F',
    '\uFEFF',
    '\r',
    '\n',
    '\t',
    '"',
    '\\',
    ' ',
    'a',
    '😀',
  ];
  const text = fc.string({ unit: fc.constantFrom(...hostile), minLength: 1 });
  await fc.assert(
    fc.asyncProperty(fc.dictionary(text, fc.array(text), { noNullPrototype: true }), async (wanted) => {
      const written = writeYaml(wanted);
      // YAML 1.2, c-printable, without the line breaks of YAML 1.1.
      expect(written).toMatch(
        /^[\n\t\x20-\x7E\xA0-\u2027\u202A-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD\u{10000}-\u{10FFFF}]*$/u,
      );
      expect(await value(written)).toEqual(wanted);
    }),
    { numRuns: 1000 },
  );
  // YAML has no escape for half a surrogate pair.
  expect(await value(writeYaml({ a: 'x\ud800y 😀 \udc00' }))).toEqual({ a: 'x\ufffdy 😀 \ufffd' });
});
