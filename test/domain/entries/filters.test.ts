import { describe, expect, it } from 'vitest';
import { readFilters } from '../../../src/domain/entries/filters.ts';
import type { Attribute } from '../../../src/domain/entries/options.ts';

const attributes: Attribute[] = [
  {
    slug: 'sector',
    attribute_type: 'select',
    config: {
      options: [
        { id: 's1', label: 'Energy' },
        { id: 's2', label: 'Health Care' },
      ],
    },
  },
  {
    slug: 'tags',
    attribute_type: 'multi_select',
    config: {
      options: [
        { id: 't1', label: 'a' },
        { id: 't2', label: 'b' },
      ],
    },
  },
  { slug: 'amount', attribute_type: 'currency', config: { max: 10 } },
  { slug: 'active', attribute_type: 'checkbox' },
  { slug: 'since', attribute_type: 'date' },
  { slug: 'site', attribute_type: 'url' },
  { slug: 'city', attribute_type: 'text' },
];

const of = (...filters: [string, string][]) => {
  const typing = { source: '--filter', now: new Date('2026-03-05T12:00:00Z') };
  const written = filters.map(([slug, text]) => `${slug}=${text}`);
  return readFilters(written, attributes, typing, true);
};

describe('facets', () => {
  it.each<[string, string, string[]]>([
    ['sector', 'Health Care', ['s2']],
    ['sector', 'health care', ['s2']],
    ['sector', 's1', ['s1']],
    ['tags', 'b;a', ['t2', 't1']],
    ['amount', '5.00', ['5']],
    ['amount', '0.10', ['0.1']],
    ['amount', '100', ['100']],
    ['amount', '-0', ['0']],
    ['amount', '12345678901234567890', ['12345678901234567890']],
    ['active', 'yes', ['true']],
    ['since', 'today', ['2026-03-05']],
    ['site', 'example.com', ['example.com']],
    ['city', 'Saint Paul; Minnesota', ['Saint Paul; Minnesota']],
  ])('%s=%s', (slug, text, expected) => {
    expect(of([slug, text])).toEqual({ facets: { [slug]: expected }, conditions: [] });
  });

  it('collects several values of one slug, each once', () => {
    expect(of(['sector', 'Energy'], ['city', 'Oslo'], ['sector', 's2'], ['sector', 's1']).facets).toEqual({
      sector: ['s1', 's2'],
      city: ['Oslo'],
    });
  });

  it.each<[string, string, RegExp]>([
    ['sektor', 'Energy', /--filter: the list has no attribute "sektor"/],
    ['active', 'perhaps', /true or false/],
  ])('refuses %s=%s', (slug, text, says) => {
    expect(() => of([slug, text])).toThrow(says);
  });

  it.each([
    ['sector', ''],
    ['sector', 'Enregy'],
    ['amount', '20M'],
    ['since', '2024-Q1'],
  ])('leaves %s=%s to a condition', (slug, text) => {
    expect(of([slug, text])).toEqual({ facets: {}, conditions: [expect.anything()] });
  });
});
