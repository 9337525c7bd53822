/** A history in memory: what each sync saw, as a mirror keeps it. */
import type { CustomListEntry } from '../../src/contract/lists.ts';
import type { History, Point, Resource, Revision, Sync, VersionRange } from '../../src/domain/history/versions.ts';

/** What one sync reads. */
export interface Seen {
  seenAt: string;
  resources?: readonly Resource[];
  /** By list. */
  entries?: Readonly<Record<string, readonly CustomListEntry[]>>;
  points?: readonly Point[];
}

interface Line<T> {
  key: string;
  versions: Revision<T>[];
}

export function historyOf(all: readonly Seen[]): History {
  const syncs = all.map(({ seenAt }, index): Sync => ({ number: index + 1, seenAt }));
  const lists = [...new Set(all.flatMap(({ entries }) => Object.keys(entries ?? {})))];
  const resources = linesOf(
    all,
    ({ resources }) => resources ?? [],
    ({ kind, owner, id }) => JSON.stringify([kind, owner, id]),
  );
  const entries = new Map(
    lists.map((list) => [
      list,
      linesOf(
        all,
        (seen) => seen.entries?.[list] ?? [],
        ({ id }) => String(id),
      ),
    ]),
  );
  const points = linesOf(
    all,
    (seen) => seen.points ?? [],
    (point) => JSON.stringify([point.companyId, point.metricId, point.version, point.periodType, point.periodKey]),
  );
  const within = <T>({ seenFrom, seenTo }: Revision<T>, { at, changedSince, changedUntil = '9' }: VersionRange) => {
    const when = at === undefined ? undefined : (syncs.find(({ number }) => number === at)?.seenAt ?? '');
    const isThen = when === undefined || (seenFrom <= when && (seenTo === undefined || seenTo > when));
    const isChange = (time: string | undefined) =>
      time !== undefined && time > (changedSince ?? '') && time <= changedUntil;
    return isThen && (changedSince === undefined || isChange(seenFrom) || isChange(seenTo));
  };
  return {
    syncs: async () => syncs,
    async *resources(kind, of = {}) {
      for (const { versions } of resources) {
        for (const version of versions) {
          const { value } = version;
          if (value.kind !== kind || (of.owner !== undefined && value.owner !== of.owner)) continue;
          if ((of.id === undefined || value.id === of.id) && within(version, of)) yield version;
        }
      }
    },
    async *entries(listId, of = {}) {
      const found = (entries.get(listId) ?? [])
        .filter(({ key }) => of.id === undefined || key === of.id)
        .flatMap(({ versions }) => versions.filter((version) => within(version, of)));
      if (of.at !== undefined) found.sort((a, b) => Number(a.value.position ?? 0) - Number(b.value.position ?? 0));
      yield* found;
    },
    async *points(companyId, of = {}) {
      for (const { versions } of points) {
        for (const version of versions) {
          const { value } = version;
          if (value.companyId !== companyId || (of.metricIds && !of.metricIds.includes(value.metricId))) continue;
          if (within(version, of)) yield version;
        }
      }
    },
    async close() {},
  };
}

function linesOf<T>(all: readonly Seen[], read: (seen: Seen) => readonly T[], keyOf: (value: T) => string): Line<T>[] {
  const lines = new Map<string, Line<T>>();
  for (const seen of all) {
    const now = new Map(read(seen).map((value) => [keyOf(value), value]));
    for (const { key, versions } of lines.values()) {
      const last = versions.at(-1);
      if (!last || last.seenTo !== undefined) continue;
      const value = now.get(key);
      if (value !== undefined && JSON.stringify(value) === JSON.stringify(last.value)) now.delete(key);
      else last.seenTo = seen.seenAt;
    }
    for (const [key, value] of now) {
      const line = lines.get(key) ?? { key, versions: [] };
      lines.set(key, line);
      line.versions.push({ seenFrom: seen.seenAt, value });
    }
  }
  return [...lines.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}
