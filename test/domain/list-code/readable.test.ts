import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readYaml, writeYaml } from '../../../src/core/yaml.ts';
import { existingList, listFile } from '../../../src/domain/list-code/existing.ts';
import { readableFile, readListSpec } from '../../../src/domain/list-code/spec.ts';

const id = '11111111-1111-4111-8111-111111111111';
const file = (attributes: unknown[], list: object = {}) =>
  readableFile(
    listFile(existingList({ id, slug: 'deals', name: 'Deals', list_attributes: attributes, ...list } as never)),
  );

it('leaves out what a file cannot contain, and says so', () => {
  const { spec, leftOut, problems } = file(
    [
      {
        name: 'Size',
        slug: 'size',
        attribute_type: 'number',
        config: { options: [{ id: 'a', label: 'A' }], min: 5, max: 1 },
      },
      { name: 'Paid', slug: 'paid', attribute_type: 'currency', config: { currency: 'eur' } },
      {
        name: 'Stage',
        slug: 'stage',
        attribute_type: 'select',
        config: { min: 1, options: [{ id: 'b', label: 'B', tone: 'neon' }] },
      },
    ],
    { position: 1.5 },
  );
  expect(problems).toEqual([]);
  expect(leftOut.sort()).toEqual([
    ...['attributes.0.max', 'attributes.0.options', 'attributes.1.currency'],
    ...['attributes.2.min', 'attributes.2.options.0.tone', 'position'],
  ]);
  expect(spec.attributes).toMatchObject([{ min: 5 }, { type: 'currency' }, { options: [{ id: 'b', label: 'B' }] }]);
});

it('names what a file must contain', () => {
  const { problems } = file([{ name: 'Owner', slug: 'owner', attribute_type: 'relation' }]);
  expect(problems).toEqual([expect.stringMatching(/^attributes\.0\.type: must be one of text, /)]);
});

it('writes nothing that is refused when it is read, whatever the configuration', async () => {
  const word = fc.oneof(fc.constantFrom('text', 'number', 'currency', 'select', 'A', 'EUR', 'eur', ''), fc.string());
  const anything = fc.oneof(fc.jsonValue({ maxDepth: 1 }), word, fc.double());
  const option = fc.record({ id: word, label: word, tone: word, color: word }, { requiredKeys: [] });
  const config = fc.record(
    {
      options: fc.oneof(fc.array(option, { maxLength: 3 }), fc.constant(null)),
      currency: word,
      min: fc.double({ noNaN: true, noDefaultInfinity: true }),
      max: fc.double({ noNaN: true, noDefaultInfinity: true }),
      further: anything,
    },
    { requiredKeys: [] },
  );
  const attribute = fc.record(
    {
      id: word,
      slug: word,
      name: word,
      attribute_type: word,
      config: fc.oneof(config, fc.constant(null)),
      is_required: fc.boolean(),
    },
    { requiredKeys: ['slug', 'name', 'attribute_type'] },
  );
  const list = fc.record({
    name: word,
    description: word,
    icon: word,
    position: fc.double({ noNaN: true, noDefaultInfinity: true }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(attribute, { maxLength: 3 }), list, async (attributes, fields) => {
      const { spec, problems } = file(attributes, fields);
      fc.pre(problems.length === 0);
      const { value, place } = await readYaml(writeYaml(spec), 'deals.yaml');
      expect(readListSpec(value, place).problems).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
