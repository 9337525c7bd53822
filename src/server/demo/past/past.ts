/** Two years of the demo, as weekly syncs saw them. */
import type { CustomListEntry } from '../../../contract/lists.ts';
import type { Point, Resource } from '../../../domain/history/versions.ts';
import { demoSeed } from '../seed.ts';
import { dealStates, twoStates } from './deals.ts';
import type { DemoNow } from './now.ts';
import { grantStates, liveStates, pointStates, publishedStates, snapshotLines } from './numbers.ts';
import { type SeenState, type State, seenStates, weeklySyncs } from './states.ts';

export interface DemoPast {
  /** When each sync was, in milliseconds since 1970. */
  syncs: readonly number[];
  resources: SeenState<Resource>[];
  entries: Map<string, SeenState<CustomListEntry & { id: string }>[]>;
  points: SeenState<Point>[];
}

export function demoPast(now: DemoNow, at: string): DemoPast {
  const syncs = weeklySyncs(at);
  const pointLines = now.points.map(pointStates);
  const snapshots = snapshotLines(
    now.resources.filter(({ kind }) => kind === 'snapshot'),
    demoSeed().publications ?? [],
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
        entries.flatMap((entry, place) => {
          const states = listId === deals ? dealStates(entry, place) : twoStates(entry);
          return seenStates(states as State<CustomListEntry & { id: string }>[], syncs);
        }),
      ]),
    ),
    points: pointLines.flatMap((states) => seenStates(states, syncs)),
  };
}
