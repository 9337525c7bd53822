/** Sorted runs of rows in a temporary SQLite database that only this process can read. */
import { parseJson, stringifyJson } from './json.ts';
import type { Spill } from './sorted-rows.ts';
import { openTemporary } from './sqlite.ts';

/** Rows that are read from a run at once. */
const pageLength = 200;

const cacheKiB = 2_000;

/** Rows are kept as JSON, with every digit of their numbers. */
export async function openSpill<Row>(): Promise<Spill<Row>> {
  const database = await openTemporary(cacheKiB);
  database.exec('create table rows (run integer, place integer, body text, primary key (run, place)) without rowid');
  const insert = database.prepare('insert into rows values (?, ?, ?)');
  const page = database.prepare('select body from rows where run = ? and place >= ? order by place limit ?');
  let count = 0;
  function* read(run: number): Generator<Row> {
    for (let place = 0; ; place += pageLength) {
      const found = page.all(run, place, pageLength) as { body: string }[];
      for (const { body } of found) yield parseJson(body) as Row;
      if (found.length < pageLength) return;
    }
  }
  return {
    add(rows) {
      database.exec('begin');
      for (const [place, row] of rows.entries()) insert.run(count, place, stringifyJson(row));
      database.exec('commit');
      count += 1;
    },
    runs: () => Array.from({ length: count }, (_, run) => read(run)),
    close: () => database.close(),
  };
}
