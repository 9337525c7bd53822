import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { latest, readDay, readEnd, readInstant } from '../../src/core/periods.ts';

const at = Date.parse('2026-01-31T10:15:00Z');

describe('readInstant', () => {
  it.each([
    '2026-01-31T10:15:00Z',
    '2026-01-31t10:15:00z',
    '2026-01-31T10:15Z',
    '2026-01-31 10:15:00+00', // PostgreSQL
    '2026-01-31 10:15:00', // SQLite, MySQL
    '2026-01-31 12:15:00+02',
    '2026-01-31T12:15:00+0200',
    '2026-01-31T12:15:00+02:00',
    '2026-01-31T05:45:00\u221204:30',
    '2026-01-31 10:15:00 +0000 UTC', // Go
    '2026-01-31 10:15:00 UTC', // Ruby
    '2026-01-31T11:15:00+01:00[Europe/Paris]', // Java
    '20260131T101500Z',
    '20260131T1015Z',
    '20260131T121500+0200',
    '2026-01-31T10:15:00,0Z',
    '2026-01-31T10:15:00.000000000Z',
    ' 2026-01-31T10:15:00Z ',
    '2026-W05-6T10:15:00Z',
    '2026W056T101500Z',
    '2026-031T10:15Z',
    '2026031T101500Z',
  ])('reads %s', (text) => {
    expect(readInstant(text)).toBe(at);
  });

  it('keeps fractions', () => {
    expect(readInstant('2026-01-31T10:15:00,5Z')).toBe(at + 500);
    expect(readInstant('2026-01-31T10:15:00.123456Z')).toBeCloseTo(at + 123.456, 3);
    expect(readInstant('2026-01-31T10:15:00.123456789Z')).toBeCloseTo(at + 123.456789, 3);
  });

  it('reads the end of a day and a leap second as what follows', () => {
    expect(readInstant('2026-01-31T24:00:00Z')).toBe(Date.parse('2026-02-01T00:00:00Z'));
    expect(readInstant('2016-12-31T23:59:60Z')).toBe(Date.parse('2017-01-01T00:00:00Z'));
  });

  it.each([
    '',
    'soon',
    'infinity',
    '2026-01-31',
    '2026-02-30T10:15:00Z',
    '2026-13-01T10:15:00Z',
    '2026-01-31T25:15:00Z',
    '2026-01-31T24:00:01Z',
    '2026-01-31T10:60:00Z',
    '2026-01-31T10:15:00 PM',
    '2026-01-31T10:15:00 PST',
    '2026-01-31T10:15:00+02:75',
    '2026-0131T10:15:00Z',
    '31.01.2026 10:15',
    '1769854500000',
  ])('refuses %j', (text) => {
    expect(readInstant(text)).toBeUndefined();
  });

  it('agrees with Date on every instant that Date writes, at any offset', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-30'), noInvalidDate: true }),
        fc.integer({ min: -14 * 60, max: 14 * 60 }),
        fc.constantFrom('', ':'),
        (date, minutes, separator) => {
          fc.pre(!Number.isNaN(date.getTime()));
          const local = new Date(date.getTime() + minutes * 60_000).toISOString();
          fc.pre(/^\d{4}/.test(local));
          const [h, m] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
          const two = (n: number) => String(n).padStart(2, '0');
          const text = `${local.slice(0, -1)}${minutes < 0 ? '-' : '+'}${two(h)}${separator}${two(m)}`;
          expect(readInstant(text)).toBe(date.getTime());
        },
      ),
    );
  });
});

describe('readDay, readEnd and latest', () => {
  it('take a day as its first and its last moment', () => {
    expect(readDay('2026-01-31')).toBe(Date.parse('2026-01-31T00:00:00Z'));
    expect(readEnd('2026-01-31')).toBe(Date.parse('2026-02-01T00:00:00Z'));
    expect(readEnd('2026-01-31T10:15:00Z')).toBe(at);
    expect([readDay('2026-02-29'), readEnd('someday')]).toEqual([undefined, undefined]);
  });

  it('order times by instant, not by text', () => {
    const times = ['2026-01-31T12:00:00+05:00', '2026-01-31 09:00:00+00', 'unknown', '20260131T080000Z'];
    expect(latest(times)).toBe('2026-01-31 09:00:00+00');
    expect(latest(['2026-01-31T10:15:00.000001Z', '2026-01-31T10:15:00.000002Z'])).toMatch(/2Z$/);
    expect(latest([])).toBeNull();
  });
});

/** Times that do not come from the API: HTTP dates, and instants that the embedded server and mirrors validated or made. */
const others = ['src/core/periods.ts', 'src/client/retry.ts', 'src/cli/runtime.ts', 'src/commands/doctor.ts'];

it('nothing else in the client reads a timestamp', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const reading = files
    .map((file) => join('src', file))
    .filter((file) => !/^src\/(server|mirror)\//.test(file) && !others.includes(file))
    .filter((file) => /\bDate\.parse\(/.test(readFileSync(file, 'utf8')));
  expect(reading).toEqual([]);
});

describe('days of a week and of a year', () => {
  it('are those of the calendar', () => {
    for (let time = Date.UTC(1999, 11, 20); time < Date.UTC(2034, 0, 12); time += 86_400_000) {
      const date = new Date(time);
      const weekday = (date.getUTCDay() + 6) % 7;
      const thursday = new Date(time + (3 - weekday) * 86_400_000);
      const week = Math.floor((thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0, 1)) / (7 * 86_400_000)) + 1;
      const ofWeek = `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}-${weekday + 1}`;
      const ordinal = (time - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000 + 1;
      const ofYear = `${date.getUTCFullYear()}-${String(ordinal).padStart(3, '0')}`;
      expect([readDay(ofWeek), readDay(ofYear)], ofWeek).toEqual([time, time]);
    }
  });

  it.each(['2026-W00-1', '2026-W54-1', '2025-W53-1', '2026-W05-8', '2026-W05', '2026-000', '2026-366', '2024-367'])(
    'that do not exist are none: %s',
    (text) => {
      expect([readDay(text), readInstant(`${text}T10:00:00Z`)]).toEqual([undefined, undefined]);
    },
  );
});
