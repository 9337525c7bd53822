/** Sorted runs of rows in a temporary SQLite file that only its user can read. */
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseJson, stringifyJson } from './json.ts';
import type { Spill } from './sorted-rows.ts';
import { openDatabase } from './sqlite.ts';

/** Rows that are read from a run at once. */
const pageLength = 200;

/** Rows are kept as JSON, with every digit of their numbers. */
export async function openSpill<Row>(): Promise<Spill<Row>> {
  const folder = mkdtempSync(join(tmpdir(), 'comem-'));
  const file = join(folder, 'sort.db');
  closeSync(openSync(file, 'w', 0o600));
  const database = await openDatabase(file);
  database.exec('pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive');
  database.exec('create table rows (run integer, place integer, body text, primary key (run, place)) without rowid');
  // An open file stays readable without its name, and so nothing is left behind, however this process ends.
  removeIfPossible(folder);
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
    close() {
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Windows keeps an open file: there it goes when it is closed. */
function removeIfPossible(folder: string): void {
  try {
    rmSync(folder, { recursive: true });
  } catch {
    // See above.
  }
}
