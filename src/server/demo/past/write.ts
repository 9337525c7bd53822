/** Versions that are known at once, as the mirror that as many syncs would have made. */
import { versions } from '../../../contract/metrics.ts';
import { demo } from '../../../core/demo.ts';
import { stringifyJson } from '../../../core/json.ts';
import { parsePeriod } from '../../../core/periods.ts';
import { openOrCreate, writeMeta } from '../../mirror/database.ts';
import { entryRow, idBytes } from '../../mirror/entry-rows.ts';
import { Names } from '../../mirror/names.ts';
import { type Columns, noPoints, scopeName, textOf } from '../../mirror/point-rows.ts';
import { Statements, type Value } from '../../mirror/statements.ts';
import { never } from '../../mirror/tables.ts';
import type { DemoPast } from './past.ts';

/** What `comem mirror sync -p demo` reads. */
export const demoAddress = 'embedded:';

export async function writePast(folder: string, past: DemoPast): Promise<void> {
  const { db, close } = await openOrCreate({ folder });
  try {
    await db.transaction().execute(async (tx) => {
      const names = await Names.read(tx);
      const statements = new Statements(tx);
      await writeMeta(tx, 'api', demoAddress);
      const counts = JSON.stringify({ read: 0, added: 0, changed: 0, deleted: 0 });
      await statements.insert(
        'mirror_syncs',
        {},
        ['number', 'began_at', 'seen_at', 'asked', 'counts'],
        past.syncs.flatMap((at, index) => [index + 1, iso(at), iso(at), '{}', counts]),
      );
      const parts = past.resources.flatMap(({ value: { kind, owner, id } }): [string, string][] => {
        if (kind === 'list') return [['entries', id]];
        if (kind === 'published') return [['published', `${owner} ${id}`]];
        return kind === 'company' ? ['catalog', 'series', 'plans', 'live', 'grants'].map((part) => [part, id]) : [];
      });
      await statements.insert(
        'mirror_parts',
        {},
        ['part', 'owner', 'first_sync', 'read_sync', 'stale_sync', 'reason'],
        [
          ...new Map(
            [['lists', demo.companyId], ['preferences', demo.companyId], ...parts].map((row) => [row.join(' '), row]),
          ).values(),
        ].flatMap(([part = '', owner = '']) => [part, owner, 1, past.syncs.length, null, null]),
      );
      await statements.insert(
        'mirror_resources',
        {},
        ['kind', 'owner', 'id', 'seen_from', 'seen_to', 'body'],
        past.resources.flatMap(({ from, to, value: { kind, owner, id, body } }) => [
          kind,
          owner,
          id,
          from,
          to,
          stringifyJson(body),
        ]),
      );
      for (const [listId, entries] of past.entries) {
        const list = names.of('list', listId);
        await statements.insert(
          'mirror_entries',
          {},
          ['list', 'id', 'seen_from', 'seen_to', 'position', 'archived', 'shape', 'body'],
          entries.flatMap(({ from, to, value }) => {
            const row = entryRow(listId, value, (shape) => names.takesShape(shape));
            return [
              list,
              idBytes(value.id),
              from,
              to,
              row.position,
              row.archived,
              names.of('shape', row.shape),
              row.body,
            ];
          }),
        );
      }
      await statements.insert(
        'mirror_points',
        {},
        ['scope', 'period', 'version', 'seen_from', 'seen_to', 'points', 'body'],
        pointRows(past.points, names),
      );
      await names.save(tx);
    });
  } finally {
    await close();
  }
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

/** Points of one period and version that came and went together are one row. */
function pointRows(points: DemoPast['points'], names: Names): Value[] {
  const rows = new Map<string, { key: readonly number[]; columns: Columns }>();
  for (const { from, to, value: point } of points) {
    const key = [
      names.of('scope', scopeName(point.companyId, point.periodType)),
      parsePeriod(point.periodKey)?.index ?? 0,
      (versions as readonly string[]).indexOf(point.version),
      from,
      to ?? never,
    ];
    const { columns } = rows.get(key.join()) ?? { columns: noPoints() };
    rows.set(key.join(), { key, columns });
    columns.metrics.push(names.of('metric', point.metricId));
    columns.values.push(point.value);
    columns.sources.push(point.source ?? null);
    columns.updated.push(point.updatedAt ?? null);
  }
  return [...rows.values()].flatMap(({ key, columns }) => [...key, columns.metrics.length, textOf(columns)]);
}
