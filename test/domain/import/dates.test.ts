import { describe, expect, it } from 'vitest';

import { flagNames as flags } from '../../../src/commands/entries/import/flags.ts';
import { DateColumn, dateFormat, monthNames, readDate } from '../../../src/domain/import/dates.ts';

const read = (text: string, format: string, locale?: string) => {
  const known = dateFormat(format);
  return known && readDate(text, known, monthNames(locale));
};

describe('a date in a format', () => {
  it.each([
    ['31.01.2024', 'dd.mm.yyyy', '2024-01-31'],
    ['1.2.2024', 'dd.mm.yyyy', '2024-02-01'],
    ['31.1.24', 'd.m.yy', '2024-01-31'],
    ['31.1.69', 'd.m.yy', '2069-01-31'],
    ['31.1.70', 'd.m.yy', '1970-01-31'],
    ['01/31/2024', 'mm/dd/yyyy', '2024-01-31'],
    ['20240131', 'yyyymmdd', '2024-01-31'],
    ['Jan 1 2000', 'mmm dd yyyy', '2000-01-01'],
    ['January 1, 2000', 'mmm dd yyyy', '2000-01-01'],
    ['1-Sep-2000', 'dd mmm yyyy', '2000-09-01'],
    ['29.02.2024', 'dd.mm.yyyy', '2024-02-29'],
  ])('%s as %s is %s', (text, format, date) => {
    expect(read(text, format)).toBe(date);
  });

  it('takes the names of months of a language', () => {
    expect(read('1. März 2024', 'd mmm yyyy', 'de')).toBe('2024-03-01');
    expect(read('1 févr. 2024', 'd mmm yyyy', 'fr')).toBe('2024-02-01');
    expect(read('3 août 2024', 'd mmm yyyy', 'fr')).toBe('2024-08-03');
    expect(read('1. März 2024', 'd mmm yyyy')).toBeUndefined();
  });

  it.each([
    ['30.02.2024', 'dd.mm.yyyy'],
    ['31.13.2024', 'dd.mm.yyyy'],
    ['31.01.24', 'dd.mm.yyyy'],
    ['31.01.20245', 'dd.mm.yyyy'],
    ['31/01/2024', 'dd.mm.yyyy'],
    ['31.01.2024 10:00', 'dd.mm.yyyy'],
    ['00.01.2024', 'dd.mm.yyyy'],
    ['29.02.2023', 'dd.mm.yyyy'],
    ['01.01.0000', 'dd.mm.yyyy'],
    ['2024131', 'yyyymmdd'],
  ])('%s is not a date as %s', (text, format) => {
    expect(read(text, format)).toBeUndefined();
  });

  it.each(['dd.mm', 'yyyy', 'dd.dd.yyyy', 'ddd.mm.yyyy', 'hh:mm', 'dd.mm.yyy', 'day.mm.yyyy', ''])(
    '%j is not a format',
    (format) => {
      expect(dateFormat(format)).toBeUndefined();
    },
  );
});

const context = { header: 'x', unit: 'line' as const, mayHaveCommas: false, isExport: false, flags };

function kindOf(text: string): string {
  if (/ is .* as .* and .* as /.test(text)) return 'ambiguous date';
  if (/has a year of two digits; say how .* --date-format [dmy./-]+$/.test(text)) return 'short year';
  return text.startsWith('no one format') ? 'mixed dates' : 'dates';
}

describe('a column of dates', () => {
  const column = (cells: string[], locale?: string) => {
    const found = new DateColumn(undefined, locale);
    for (const [index, cell] of cells.entries()) found.add(cell, index + 2);
    const [finding] = found.findings(context);
    return { said: finding && kindOf(finding.says), read: () => cells.map((cell) => found.read(cell)) };
  };
  it.each([
    [['2024-01-31', 'today'], undefined, ['2024-01-31', 'today']],
    [['31.01.2024', '01.02.2024'], 'dates', ['2024-01-31', '2024-02-01']],
    [['01/02/2024', '01/31/2024'], 'dates', ['2024-01-02', '2024-01-31']],
    [['31/01/2024', '2024-02-01'], 'dates', ['2024-01-31', '2024-02-01']],
    [['05/05/2024'], 'dates', ['2024-05-05']],
    [['2024/02/03'], 'dates', ['2024-02-03']],
    [['Jan 1 2000', 'Dec 2 2000'], 'dates', ['2000-01-01', '2000-12-02']],
  ])('%j: %s', (cells, said, dates) => {
    const { said: kind, read } = column(cells);
    expect([kind, read()]).toEqual([said, dates]);
  });

  it.each([
    [['01/02/2024'], 'ambiguous date'],
    [['01.02.2024', '03.04.2024'], 'ambiguous date'],
    [['31/01/2024', '01/31/2024'], 'mixed dates'],
    [['31.01.2024', '31/01/2024'], 'mixed dates'],
    [['31.01.24', '01.02.24'], 'short year'],
    [['31.12.99'], 'short year'],
    [['1-31-99'], 'short year'],
  ])('%j is refused: %s', (cells, said) => {
    expect(column(cells).said).toBe(said);
  });

  it('is read in the order of a language', () => {
    expect(column(['01/02/2024'], 'fr').read()).toEqual(['2024-02-01']);
    expect(column(['01/02/2024'], 'en-US').read()).toEqual(['2024-01-02']);
    expect(column(['31.01.99'], 'de').read()).toEqual(['1999-01-31']);
  });
});
