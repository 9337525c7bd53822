/** Functions of SQLite that a statement gets in another form: those of time, and those whose limit SQLite does not say. */
import type { Sqlite, SqliteStatement, SqliteValue } from './sqlite.ts';

/** Runs a function of SQLite in a database of its own, where it is not another one. */
function original(helper: Sqlite, name: string): (values: readonly SqliteValue[]) => SqliteValue {
  const statements = new Map<string, SqliteStatement>();
  return (values) => {
    // A double such as 5.0 would arrive as an integer.
    const terms = values.map((value) => (typeof value === 'number' ? 'cast(? as real)' : '?')).join(',');
    let statement = statements.get(terms);
    if (!statement) {
      statement = helper.prepare(`select ${name}(${terms})`);
      statement.setReturnArrays(true);
      statement.setReadBigInts(true);
      statements.set(terms, statement);
    }
    const [value] = statement.get(...values) as [SqliteValue];
    return value;
  };
}

const varargs = { varargs: true, deterministic: true, useBigIntArguments: true } as const;

/** A text beyond the limit is null for SQLite's `printf`, and no error. */
export function overrideLongTexts(database: Sqlite, helper: Sqlite, mostBytes: number): void {
  helper.limits.length = mostBytes;
  for (const name of ['printf', 'format']) {
    const printed = original(helper, name);
    database.function(name, varargs, (...values) => {
      const text = printed(values);
      if (text === null && values.length > 0 && values[0] !== null)
        throw new Error(`${name} gives a text of more than ${mostBytes / 1024 / 1024} MiB`);
      return text;
    });
  }
}

const keywords = { current_date: 'date', current_time: 'time', current_timestamp: 'datetime' } as const;

/** Without a time these take that of the machine; with this it is the one of the command. */
export function overrideTime(database: Sqlite, helper: Sqlite, now: () => string | undefined): void {
  const options = { useBigIntArguments: true };
  for (const name of ['date', 'time', 'datetime', 'julianday', 'unixepoch']) {
    const computed = original(helper, name);
    database.function(name, options, () => computed([now() ?? 'now']));
  }
  for (const [keyword, name] of Object.entries(keywords)) {
    const computed = original(helper, name);
    database.function(keyword, options, () => computed([now() ?? 'now']));
  }
  const formatted = original(helper, 'strftime');
  database.function('strftime', options, (format: SqliteValue) => formatted([format, now() ?? 'now']));
}

/** 'now' as a text, in a statement that has it. */
export function overrideNow(database: Sqlite, helper: Sqlite, now: () => string | undefined): void {
  for (const name of ['date', 'time', 'datetime', 'julianday', 'unixepoch', 'strftime', 'timediff']) {
    const computed = original(helper, name);
    const first = name === 'strftime' ? 1 : 0;
    database.function(name, varargs, (...values) => computed(values.flatMap((value, index) => timed(value, index))));
    function timed(value: SqliteValue, index: number): SqliteValue[] {
      if (index < first || typeof value !== 'string') return [value];
      const word = value.toLowerCase();
      if (word === 'now') return [now() ?? value];
      const isFirst = index === first && name !== 'timediff';
      return isFirst && (word === 'subsec' || word === 'subsecond') ? [now() ?? 'now', value] : [value];
    }
  }
}
