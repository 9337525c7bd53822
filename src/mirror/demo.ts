/** The mirror of the demo: two years of weekly syncs whose newest state is the demo's data. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson, stringifyJson } from '../core/json.ts';
import { mirrorFile, openOrCreate, writeMeta } from './database.ts';
import { insertRows, schemaVersion, type Value } from './tables.ts';

/** Rows of the mirror's tables, which the build copies beside the program's code. */
const file = 'demo-mirror.ndjson';

/** The address that `comem mirror sync -p demo` reads. */
const demoAddress = 'embedded:';

/**
 * Writes the mirror when it is first needed.
 * @param data the folder of the program's data
 * @returns the folder of the mirror, another one for each schema
 */
export async function ensureDemoMirror(data: string): Promise<string> {
  const folder = join(data, `demo-mirror-${schemaVersion}`);
  if (existsSync(join(folder, mirrorFile))) return folder;
  mkdirSync(data, { recursive: true });
  // Renamed when it is complete: another process may write it at the same time, and this one may be killed.
  const draft = `${folder}.${randomBytes(4).toString('hex')}`;
  try {
    await loadInto(draft);
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(join(folder, mirrorFile))) throw error;
  }
  return folder;
}

interface Heading {
  table: string;
  columns: string[];
}

async function loadInto(folder: string): Promise<void> {
  const lines = readFileSync(join(import.meta.dirname, file), 'utf8')
    .trimEnd()
    .split('\n');
  const { db, close } = await openOrCreate(folder);
  try {
    await db.transaction().execute(async (tx) => {
      await writeMeta(tx, 'api', demoAddress);
      let heading: Heading | undefined;
      for (const line of lines) {
        const row = parseJson(line) as Heading | Value[];
        if (!Array.isArray(row)) heading = row;
        else if (heading) await insertRows(tx, heading.table, {}, heading.columns, cellsOf(row, heading));
      }
    });
  } finally {
    await close();
  }
}

/** A body is the text of its JSON; the id of an entry is bytes. */
function cellsOf(row: Value[], { table, columns }: Heading): Value[] {
  return row.map((cell, index) => {
    if (columns[index] === 'body') return stringifyJson(cell);
    return table === 'mirror_entries' && columns[index] === 'id' ? Buffer.from(String(cell), 'hex') : cell;
  });
}
