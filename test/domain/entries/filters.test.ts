import { describe, expect, it } from 'vitest';
import { facets } from '../../../src/domain/entries/filters.ts';
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

const of = (...filters: [string, string][]) =>
  facets(
    attributes,
    filters.map(([slug, text]) => ({ slug, text })),
    { source: '--filter', now: new Date('2026-03-05T12:00:00Z') },
  );

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
    ['city', '', ['']],
  ])('%s=%s', (slug, text, expected) => {
    expect(of([slug, text])).toEqual({ [slug]: expected });
  });

  it('collects several values of one slug, each once', () => {
    expect(of(['sector', 'Energy'], ['city', 'Oslo'], ['sector', 's2'], ['sector', 's1'])).toEqual({
      sector: ['s1', 's2'],
      city: ['Oslo'],
    });
  });

  it.each<[string, string, RegExp]>([
    ['sektor', 'Energy', /--filter: the list has no attribute "sektor"/],
    ['sector', 'Enregy', /--filter: unknown option "Enregy" of sector; it takes one of: Energy, Health Care/],
    ['amount', 'lots', /--filter: amount is a number, got "lots"/],
    ['active', 'perhaps', /true or false/],
    ['since', 'yesterday', /YYYY-MM-DD/],
  ])('refuses %s=%s', (slug, text, says) => {
    expect(() => of([slug, text])).toThrow(says);
  });
});
