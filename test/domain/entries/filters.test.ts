import { describe, expect, it } from 'vitest';
import { apiParts, readFilters } from '../../../src/domain/entries/filters.ts';
import type { Attribute } from '../../../src/domain/entries/options.ts';
import { entryScope } from '../../../src/domain/entries/scope.ts';
import { checkTree } from '../../../src/domain/expression/check.ts';

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

const now = new Date('2026-03-05T12:00:00Z');
const scope = entryScope(attributes, () => now);

const of = (...filters: [string, string][]) => {
  const written = filters.map(([slug, text]) => `${slug}=${text}`);
  const conditions = readFilters(written, attributes, { source: '--filter', conditions: '--where', now });
  const { query, tested } = apiParts(
    {},
    conditions.map(({ node, source }) => checkTree(node, scope, source)),
  );
  return { facets: query.filter ?? {}, tested };
};

describe('facets', () => {
  it.each<[string, string, string[]]>([
    ['sector', 'Health Care', ['s2']],
    ['sector', 'health care', ['s2']],
    ['sector', 's1', ['s1']],
    ['tags', 'b;a', ['t2', 't1']],
    ['active', 'yes', ['true']],
    ['site', 'example.com', ['example.com']],
    ['city', 'Saint Paul; Minnesota', ['Saint Paul; Minnesota']],
  ])('%s=%s', (slug, text, expected) => {
    expect(of([slug, text])).toEqual({ facets: { [slug]: expected }, tested: [] });
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
    ['amount', '20M'],
    ['amount', '5.00'],
    ['since', 'today'],
    ['since', '2024-Q1'],
  ])('leaves %s=%s to a condition', (slug, text) => {
    expect(of([slug, text])).toEqual({ facets: {}, tested: [slug] });
  });
});
