import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { AttributeType } from '../../src/contract/lists.ts';
import { isAddress, isMailAddress, isWebAddress, urlOf } from '../../src/core/addresses.ts';
import { storedIssue, typedValues } from '../../src/domain/entries/values.ts';
import { newAttributes } from '../../src/domain/import/infer.ts';
import { mergedValues } from '../../src/server/model/attribute.ts';

const web: [string, boolean][] = [
  ['http://a', true],
  ['HTTPS://Example.com/Path?q=1#top', true],
  ['https://user@host:8080/x', true],
  ['https://例え.jp/道', true],
  ['https://[::1]/', true],
  ['ftp://example.com', false],
  ['example.com', false],
  ['https://', false],
  ['https:///path', false],
  ['https://example.com/a b', false],
  [' https://example.com', false],
  ['https://example.com\n', false],
  ['https://a:99999/', false],
  ['javascript:alert(1)', false],
  ['', false],
];

const mail: [string, boolean][] = [
  ['a@b.c', true],
  ["o'neil+tag@mail.example.co.uk", true],
  ['ü@exämple.de', true],
  [`${'x'.repeat(314)}@b.com`, true],
  [`${'x'.repeat(315)}@b.com`, false],
  ['a@b', false],
  ['a@b..c', false],
  ['a@.c', false],
  ['a@b.', false],
  ['a b@c.d', false],
  ['a@b@c.d', false],
  ['@b.c', false],
  ['', false],
];

function attribute(attribute_type: AttributeType) {
  return { id: 'a', slug: 'x', name: 'X', attribute_type, config: {}, is_required: false, position: 0 };
}

function holds(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

describe('an address', () => {
  it.each(web)('of the web: %j is %s', (text, valid) => {
    expect(isWebAddress(text)).toBe(valid);
  });

  it.each([
    ...web.filter(([, valid]) => valid).map(([text]) => [text, true] as const),
    ...['ftp://example.com/a', 'mailto:ada@example.com', 'www.example.com', 'example.com/a?b'].map(
      (text) => [text, true] as const,
    ),
    ...['', 'none', 'n/a', 'a b.c', 'https://', 'https://a:99999/', '.', '...'].map((text) => [text, false] as const),
  ])('of any server: %j is %s', (text, valid) => {
    expect(isAddress(text)).toBe(valid);
  });

  it.each(mail)('of a person: %j is %s', (text, valid) => {
    expect(isMailAddress(text)).toBe(valid);
  });

  it.each([
    ...web.map(([text, valid]) => ['url', text, valid] as const),
    ...mail.map(([text, valid]) => ['email', text, valid] as const),
  ])('%s %j is the same when typed, stored, imported and sent: %s', (type, text, valid) => {
    const of = attribute(type);
    // Another server may take more than the embedded one.
    const takes = valid || (type === 'url' && isAddress(text));
    expect(holds(() => typedValues([of], [{ slug: 'x', text }], { now: new Date(0) }))).toBe(takes);
    expect(storedIssue(of, text) === undefined).toBe(takes);
    const table = {
      headers: ['x'],
      rows: [{ line: 1, cells: [text] }],
      json: true,
      lineUnit: 'item' as const,
      issues: [],
    };
    const [inferred] = newAttributes(table, [{ index: 0, header: 'x', name: 'x' }], []);
    expect(inferred?.attribute_type === type).toBe(valid);
    expect(holds(() => mergedValues([of as never], { x: text }))).toBe(valid);
  });
});

describe('the parts of an address', () => {
  // A rule of the platform that is faster once it is compiled was wrong then.
  it('are the same after as many calls as an import makes', () => {
    const wrong = Array.from({ length: 20_000 }, () => urlOf('https://münchen.de/ü')?.hostname).filter(
      (host) => host !== 'xn--mnchen-3ya.de',
    );
    expect(wrong).toEqual([]);
    expect(urlOf('/b?c', 'https://acme.com/a')?.href).toBe('https://acme.com/b?c');
    expect(urlOf('https://')).toBeUndefined();
  });
});

it('no address is held against the rule of the platform that is wrong', () => {
  const sources = new URL('../../src/', import.meta.url);
  const using = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .filter((name) => /URL\.canParse\(/.test(readFileSync(new URL(name, sources), 'utf8')));
  expect(using).toEqual([]);
});
