import { describe, expect, it } from 'vitest';
import type { Attribute } from '../../../src/domain/entries/options.ts';
import type { NewAttribute } from '../../../src/domain/import/infer.ts';
import { matchCreated, resolveValues } from '../../../src/domain/import/plan.ts';

const wanted = (slug: string, name: string) => ({ slug, name }) as NewAttribute;
const options = [{ id: 'o1', label: 'Energy' }];

describe('matchCreated', () => {
  it('takes the attribute of the name, the one with the planned slug first', () => {
    const attributes: Attribute[] = [
      { slug: 'stage-2', name: 'Stage' },
      { slug: 'stage', name: 'Stage' },
      { slug: 'sector-2', name: 'Sector' },
      { slug: 'size', name: 'Other' },
    ];
    const created = matchCreated([wanted('stage', 'Stage'), wanted('sector', 'Sector')], attributes);
    expect([...created].map(([planned, { slug }]) => [planned, slug])).toEqual([
      ['stage', 'stage'],
      ['sector', 'sector-2'],
    ]);
  });

  it.each([[[]], [[{ name: 'Size' }]], [[{ slug: 'size', name: 'Other' }]]])(
    'refuses %j',
    (attributes: Attribute[]) => {
      expect(() => matchCreated([wanted('size', 'Size')], attributes)).toThrow('the attribute "Size" was created');
    },
  );
});

describe('resolveValues', () => {
  const created = new Map<string, Attribute>([
    ['sector', { slug: 'sector-2', attribute_type: 'select', config: { options } }],
    ['state', { slug: 'state', attribute_type: 'status', config: { options } }],
    ['tags', { slug: 'tags', attribute_type: 'multi_select', config: { options } }],
    ['note', { slug: 'note-2', attribute_type: 'text', config: { options } }],
  ]);

  it('has the slugs and option ids of the server', () => {
    const planned = {
      sector: 'Energy',
      state: 'Energy',
      tags: ['Energy', 'o1', 'gone'],
      note: 'Energy',
      other: 'Energy',
    };
    expect(resolveValues(planned, created)).toEqual({
      'sector-2': 'o1',
      state: 'o1',
      tags: ['o1', 'o1', 'gone'],
      'note-2': 'Energy',
      other: 'Energy',
    });
  });

  it('leaves null and what is not text', () => {
    expect(resolveValues({ sector: null, tags: [3] }, created)).toEqual({ 'sector-2': null, tags: [3] });
  });
});
