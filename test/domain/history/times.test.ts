/** One time of an addition for every reader of the past. */
import { expect, it } from 'vitest';
import { entryChanges, readChanges } from '../../../src/domain/history/changes.ts';
import { pathOf } from '../../../src/domain/history/funnel.ts';
import { Reads } from '../../../src/domain/history/reads.ts';
import { SyncTimes } from '../../../src/domain/history/steps.ts';
import type { Resource, ResourceKind } from '../../../src/domain/history/versions.ts';
import { historyOf } from '../../helpers/history.ts';

const [first, created, written, seen] = [1, 3, 5, 8].map((day) => `2026-03-0${day}T09:00:00.000Z`) as [
  string,
  string,
  string,
  string,
];

const stamps = (createdAt: string) => ({
  created_at: createdAt,
  updated_at: written,
});
const resource = (kind: ResourceKind, owner: string, id: string, createdAt: string): Resource => ({
  ...{ kind, owner, id },
  body: { id, slug: id, ...stamps(createdAt) },
});
const list = resource('list', 'company', 'list', first);

function historySince(createdAt: string) {
  const entry = {
    id: 'e',
    title: 'New',
    values: { stage: 'a' },
    ...stamps(createdAt),
  };
  const others = [
    resource('list', 'company', 'new', createdAt),
    resource('attribute', 'list', 'stage', createdAt),
    resource('grant', 'company', 'grant', createdAt),
  ];
  return historyOf([
    { seenAt: first, resources: [list] },
    { seenAt: seen, resources: [list, ...others], entries: { list: [entry] } },
  ]);
}

const kinds = ['entry', 'list', 'attribute', 'grant'] as const;

async function additions(createdAt: string, since: string) {
  const history = historySince(createdAt);
  const reads = await Reads.of(history, await history.syncs());
  const { changes } = await readChanges(history, reads, {
    span: { since: Date.parse(since) },
    kinds,
  });
  return new Map(changes.map(({ kind, change, when }) => [kind, `${change} ${when}`]));
}

it.each([
  ['between two syncs', created, created],
  ['before the last sync that did not read it', '2026-02-01T09:00:00.000Z', null],
])('is the creation %s, for changes, history and funnel', async (_, createdAt, when) => {
  expect(await additions(createdAt, first)).toEqual(new Map(kinds.map((kind) => [kind, `added ${when}`])));
  const late = await additions(createdAt, written);
  expect([...late.keys()].length).toBe(when === null ? kinds.length : 0);

  const history = historySince(createdAt);
  const syncs = new SyncTimes(await history.syncs());
  const versions = [];
  for await (const version of history.entries('list')) versions.push(version);
  const changes = entryChanges(versions, ['stage'], syncs);
  expect(changes.map(({ kind, at }) => [kind, at])).toEqual([
    ['created', when],
    ['created', when],
  ]);
  expect(pathOf(versions, 'stage', syncs)?.stays.map(({ from }) => from)).toEqual([Date.parse(when ?? seen)]);
});
