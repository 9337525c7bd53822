/** The mirror of the demo: two years of weekly syncs whose newest state is the demo's data. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CustomListEntry } from '../../contract/lists.ts';
import { versions } from '../../contract/metrics.ts';
import { demo } from '../../core/demo.ts';
import { stringifyJson } from '../../core/json.ts';
import { parsePeriod } from '../../core/periods.ts';
import type { Transport } from '../../core/wire.ts';
import type { Point, Resource } from '../../domain/history/versions.ts';
import { demoParts } from '../../server/demo/ensure.ts';
import type { SeedPublication } from '../../server/seed/seed.ts';
import { mirrorFile, openOrCreate, writeMeta } from '../database.ts';
import { entryRow, idBytes } from '../entry-rows.ts';
import { Names } from '../names.ts';
import { type Columns, noPoints, scopeName, textOf } from '../point-rows.ts';
import { Statements, type Value } from '../statements.ts';
import { never, schemaVersion } from '../tables.ts';
import { type DemoNow, demoNow } from './now.ts';
import {
  dealStates,
  grantStates,
  liveStates,
  pointStates,
  publishedStates,
  type SeenState,
  type State,
  seenStates,
  snapshotLines,
  twoStates,
  weeklySyncs,
} from './states.ts';

/**
 * Writes the mirror when it is first needed.
 * @param data the folder of the program's data
 * @param open the demo's API with fresh data
 * @returns the folder of the mirror, another one for each schema
 */
export async function ensureDemoMirror(
  data: string,
  open: () => Promise<{ transport: Transport; close(): Promise<void> }>,
): Promise<string> {
  const folder = join(data, `demo-mirror-${schemaVersion}`);
  if (existsSync(join(folder, mirrorFile))) return folder;
  const { transport, close } = await open();
  const now = await demoNow(transport).finally(close);
  mkdirSync(data, { recursive: true });
  // Renamed when it is complete: another process may write it at the same time, and this one may be killed.
  const draft = `${folder}.${randomBytes(4).toString('hex')}`;
  try {
    await writePast(draft, demoPast(now, demoPublications()));
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(join(folder, mirrorFile))) throw error;
  }
  return folder;
}

/** Every version that was published; the API answers with the newest of each period. */
function demoPublications(): SeedPublication[] {
  const publications: SeedPublication[] = [];
  for (const { seed } of demoParts()) publications.push(...(seed.publications ?? []));
  return publications;
}

interface DemoPast {
  /** When each sync was, in milliseconds since 1970. */
  syncs: readonly number[];
  resources: SeenState<Resource>[];
  entries: Map<string, SeenState<CustomListEntry & { id: string }>[]>;
  points: SeenState<Point>[];
}

export function demoPast(now: DemoNow, publications: readonly SeedPublication[]): DemoPast {
  const syncs = weeklySyncs(demo.now);
  const pointLines = now.points.map(pointStates);
  const snapshots = snapshotLines(
    now.resources.filter(({ kind }) => kind === 'snapshot'),
    publications,
  );
  const stateOf = (resource: Resource): State<Resource>[] => {
    switch (resource.kind) {
      case 'grant':
        return grantStates(resource);
      case 'live':
        return liveStates(resource, pointLines);
      case 'published':
        return publishedStates(resource, snapshots);
      default:
        return [
          { at: Date.parse(String(resource.body.created_at ?? resource.body.createdAt ?? '')) || 0, value: resource },
        ];
    }
  };
  const lines = now.resources.flatMap((resource) => (resource.kind === 'snapshot' ? [] : [stateOf(resource)]));
  const deals = now.resources.find(({ kind, body }) => kind === 'list' && body.slug === 'deal-pipeline')?.id;
  return {
    syncs,
    resources: [...lines, ...snapshots].flatMap((states) => seenStates(states, syncs)),
    entries: new Map(
      [...now.entries].map(([listId, entries]) => [
        listId,
        entries.flatMap((entry, number) => {
          const states = listId === deals ? dealStates(entry, number) : twoStates(entry);
          return seenStates(states as State<CustomListEntry & { id: string }>[], syncs);
        }),
      ]),
    ),
    points: pointLines.flatMap((states) => seenStates(states, syncs)),
  };
}

/** The address that `comem mirror sync -p demo` reads. */
const demoAddress = 'embedded:';

async function writePast(folder: string, past: DemoPast): Promise<void> {
  const { db, close } = await openOrCreate(folder);
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
        past.resources.flatMap(({ from, to, value: { kind, owner, id, body } }) => {
          return [kind, owner, id, from, to, stringifyJson(body)];
        }),
      );
      for (const [listId, entries] of past.entries) {
        const list = names.of('list', listId);
        await statements.insert(
          'mirror_entries',
          {},
          ['list', 'id', 'seen_from', 'seen_to', 'position', 'archived', 'shape', 'body'],
          entries.flatMap(({ from, to, value }) => {
            const row = entryRow(listId, value, (shape) => names.takesShape(shape));
            const { position, archived, body } = row;
            return [list, idBytes(value.id), from, to, position, archived, names.of('shape', row.shape), body];
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
