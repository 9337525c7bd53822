import { describe, expect, it } from 'vitest';
import {
  type Attribute,
  editedOptions,
  newOptions,
  optionIds,
  optionInput,
  optionText,
} from '../../../src/domain/entries/options.ts';
import { countedOptions } from '../../helpers/counted-options.ts';

const stage: Attribute = {
  slug: 'stage',
  attribute_type: 'status',
  config: {
    options: [
      { id: 'o1', label: 'Open', tone: 'sand' },
      { id: 'o2', label: 'Won', color: '#0f0' },
      { id: 'o3', label: 'Lost' },
    ],
  },
};

describe('optionInput', () => {
  it.each([
    ['Open', { label: 'Open' }],
    ['Open:sage', { label: 'Open', tone: 'sage' }],
    ['Open: Sage ', { label: 'Open', tone: 'sage' }],
    ['Phase 2: build', { label: 'Phase 2: build' }],
    ['Phase 2: build:mint', { label: 'Phase 2: build', tone: 'mint' }],
    ['a:sage:', { label: 'a:sage' }],
    ['10:30', { label: '10:30' }],
    [' Open ', { label: 'Open' }],
    ['Open :', { label: 'Open' }],
    ['Series: Beta', { label: 'Series: Beta' }],
    ['Due:12 months', { label: 'Due:12 months' }],
  ])('%s', (written, expected) => {
    expect(optionInput(written, '--option')).toEqual(expected);
  });

  it.each([
    ['', /LABEL or LABEL:TONE, got ""/],
    [':sage', /LABEL or LABEL:TONE/],
    ['Open:neon', /"neon" is not a tone/],
    ['Open:red', /"red" is not a tone/],
    ['Open:Sagr', /"Sagr" is not a tone/],
    [
      'Open:cobolt',
      /"cobolt" is not a tone; a tone is one of: charcoal, taupe, stone, sand, cobalt, steel, sage, mint/,
    ],
  ])('refuses %j', (written, says) => {
    expect(() => optionInput(written, '--option')).toThrow(says);
  });

  it('refuses one label twice', () => {
    expect(() => newOptions(['A', 'B:sage', 'A:mint'], '--option')).toThrow(/the option "A" exists already/);
  });
});

describe('editedOptions', () => {
  it('removes, renames with the id kept, and adds behind', () => {
    expect(editedOptions(stage, { add: ['New:mint'], rename: ['won=Closed won'], remove: ['o3'] }, '--option')).toEqual(
      [
        { id: 'o1', label: 'Open', tone: 'sand' },
        { id: 'o2', label: 'Closed won', color: '#0f0' },
        { label: 'New', tone: 'mint' },
      ],
    );
  });

  it('renames an option of one letter, and takes blanks around the equals sign', () => {
    const one: Attribute = { slug: 'x', attribute_type: 'select', config: { options: [{ id: 'o1', label: 'A' }] } };
    expect(editedOptions(one, { rename: ['A = B '] }, '--option')).toEqual([{ id: 'o1', label: 'B' }]);
  });

  it('leaves two equal labels alone that it did not make', () => {
    const options = ['o1', 'o2', 'o3'].map((id, n) => ({ id, label: n < 2 ? 'A' : 'B' }));
    const twins: Attribute = { slug: 'x', attribute_type: 'select', config: { options } };
    expect(editedOptions(twins, { remove: ['B'] }, '--option')).toEqual(options.slice(0, 2));
  });

  it('gives a removed label free in the same command', () => {
    expect(
      editedOptions(stage, { add: ['Lost'], remove: ['Lost'] }, '--option').map(({ id, label }) => [id, label]),
    ).toEqual([
      ['o1', 'Open'],
      ['o2', 'Won'],
      [undefined, 'Lost'],
    ]);
  });

  it.each([
    [{ remove: ['Draw'] }, /--option: unknown option "Draw" of stage/],
    [{ rename: ['Draw=Tie'] }, /--option: unknown option "Draw" of stage/],
    [{ rename: ['Won'] }, /--option takes OLD=NEW/],
    [{ rename: ['Won='] }, /--option takes OLD=NEW/],
    [{ rename: ['Won=Open'] }, /two options "Open"/],
    [{ rename: ['Won=A'], remove: ['o2'] }, /renames and removes "Won"/],
    [{ add: ['Open'] }, /--option: the option "Open" exists already/],
    [{ add: ['Open', 'Won'] }, /--option: the option "Open" exists already/],
  ])('refuses %j', (edits, says) => {
    expect(() => editedOptions(stage, edits, '--option')).toThrow(says);
  });

  it('refuses options of a type that has none', () => {
    expect(() => editedOptions({ slug: 'n', attribute_type: 'number' }, { add: ['A'] }, '--option')).toThrow(
      /of type number/,
    );
  });
});

describe('several options in one text', () => {
  it.each([
    [
      'Trial,Live,Ended',
      'write --option Trial --option Live --option Ended; for one label with commas, "Trial,Live,Ended:"',
    ],
    [
      'Trial:sage,On hold:sand',
      'write --option Trial:sage --option "On hold:sand"; for one label with commas, "Trial:sage,On hold:sand:"',
    ],
    ['Trial, Live', 'write --option Trial --option Live; for one label with commas, "Trial, Live:"'],
  ])('%s is refused with the right form', (written, hint) => {
    const refused = expect.objectContaining({ message: `--option takes one option, got "${written}"`, hint });
    expect(() => newOptions([written], '--option')).toThrow(refused);
  });

  it('is refused among others too, unless a space makes it one label', () => {
    expect(() => newOptions(['A,B', 'C'], '--option')).toThrow(/one option, got "A,B"/);
    expect(() => optionInput('A,B', '--add-option')).toThrow(/--add-option takes one option/);
    const labels = ['Munich, Germany', '1,000+', 'A,B:', ',x'];
    expect(newOptions(labels, '--option').map(({ label }) => label)).toEqual([
      'Munich, Germany',
      '1,000+',
      'A,B',
      ',x',
    ]);
  });
});

it('reads the options once, whatever the number of values', () => {
  const { reads, options } = countedOptions(1000);
  const attribute: Attribute = { slug: 'tags', attribute_type: 'multi_select', config: { options } };
  const ids = options.map((_, n) => `o${n}`);
  expect(optionIds(attribute, optionText(attribute, ids))).toEqual(ids);
  expect(reads.count).toBeLessThan(10 * options.length);
});
