/** The time in a statement, which is written in only where the statement asks for it. */
import { describe, expect, it } from 'vitest';
import { atTime } from '../../../src/domain/sql/now.ts';
import { readStatement } from '../../../src/domain/sql/statement.ts';

const now = new Date('2031-05-20T12:00:00.250Z');
const time = "'2031-05-20 12:00:00.250'";

describe('the time in a statement', () => {
  it.each([
    ["select date('now')", `select date(${time})`],
    ["select DATETIME ( 'Now' , 'localtime' )", `select DATETIME ( ${time} , 'localtime' )`],
    [
      "select julianday(coalesce(x, 'now')) - julianday()",
      `select julianday(coalesce(x, ${time})) - julianday(${time})`,
    ],
    ["select strftime('%Y')", `select strftime('%Y', ${time})`],
    ["select strftime('%Y', 'now')", `select strftime('%Y', ${time})`],
    ["select strftime(max(a, 'x'))", `select strftime(max(a, 'x'), ${time})`],
    ['select current_date, Current_Timestamp', `select date(${time}), datetime(${time})`],
    ["select timediff('now', current_time)", `select timediff(${time}, time(${time}))`],
    ["select unixepoch('now') /* now */ from t", `select unixepoch(${time}) /* now */ from t`],
  ])('%s', (written, expected) => {
    expect(atTime(readStatement(written), () => now)).toBe(expected);
  });

  it('writes it in where a parameter asks for it within a function of time', () => {
    const statement = readStatement('select date(:d), strftime(:d, :d), :d, date(:e), date($f)');
    expect(atTime(statement, () => now, { d: 'Now', e: '2024-01-01', f: 7 })).toBe(
      `select date(${time}), strftime(:d, ${time}), :d, date(:e), date($f)`,
    );
  });

  it.each([
    "select 'now', title from t where x = 'now'",
    'select date(made_at), date from t',
    'select t.current_date, 1 as current_date, "current_date" from t',
    "select strftime('now', made_at) from t",
    'select count() from t',
  ])('%s asks for none', (written) => {
    const asked = () => {
      throw new Error('asked for the time');
    };
    expect(atTime(readStatement(written), asked)).toBe(written);
  });
});
