/** `entries history`: the changes of one entry as rows. */

import type { Context } from '../../cli/context.ts';
import { changeTones } from '../../cli/outcomes.ts';
import { withPast } from '../../cli/past.ts';
import type { RowFlags } from '../../cli/query.ts';
import { showRows } from '../../cli/query.ts';
import type { CustomListAttribute } from '../../contract/lists.ts';
import { type EntryChange, entryChangeKinds, entryChanges } from '../../domain/history/changes.ts';
import { entryOf, listOf } from '../../domain/history/find.ts';
import type { Cell, Column } from '../../output/column.ts';
import { displayCell } from '../../output/values.ts';
import { entryColumns } from './columns.ts';

export async function showEntryHistory(
  ctx: Context,
  { LIST, ENTRY }: { LIST: string; ENTRY: string },
  flags: RowFlags & { mirror?: string },
): Promise<void> {
  const { mirror, ...asking } = flags;
  const read = () =>
    withPast(
      ctx,
      async ({ history, timesOf }) => {
        const list = await listOf(history, ctx.requireCompany(), LIST);
        const versions = await entryOf(history, list.id, ENTRY);
        const { list_attributes: attributes } = list;
        const slugs = attributes.flatMap(({ slug }) => slug ?? []);
        const formats = formatsOf(attributes);
        const times = await timesOf({ part: 'entries', owner: list.id, list: list.id });
        return entryChanges(versions, slugs, times).map((change) => {
          const { name, format } = formats.get(change.field ?? '') ?? {};
          const [before, after] = [change.before, change.after].map((value) =>
            format && value !== undefined ? format(value) : { cell: value as Cell, text: undefined },
          );
          return {
            ...change,
            attribute: name ?? change.field ?? undefined,
            before: before?.cell,
            after: after?.cell,
            texts: { before: before?.text, after: after?.text },
          };
        });
      },
      mirror,
    );
  await showRows(ctx, read, columns, {
    flags: asking,
    command: ['entries history', LIST, ENTRY, flags.where],
    name: ({ seen, field }) => `${seen} ${field ?? ''}`,
    json: ({ attribute: _, texts: __, ...row }) => row,
    rules: { kind: entryChangeKinds },
    empty: 'No changes.',
    counts: ['change', 'changes'],
  });
}

type Row = Omit<EntryChange, 'before' | 'after'> & {
  attribute: string | undefined;
  before: Cell;
  after: Cell;
  /** The values as tables show those of entries. */
  texts: { before: string | undefined; after: string | undefined };
};

const columns: Column<Row>[] = [
  { key: 'seen', heading: 'Seen', type: 'datetime', rank: 1, get: (row) => row.seen },
  { key: 'notBefore', heading: 'Not before', type: 'datetime', rank: 50, get: (row) => row.notBefore },
  { key: 'at', heading: 'Written', type: 'datetime', rank: 40, get: (row) => row.at },
  { key: 'kind', heading: 'Change', rank: 6, tones: changeTones, get: (row) => row.kind },
  {
    key: 'field',
    heading: 'Field',
    title: 'Attribute',
    rank: 3,
    get: (row) => row.field,
    onScreen: (row) => row.attribute,
  },
  {
    key: 'before',
    heading: 'Before',
    rank: 4,
    wraps: true,
    get: (row) => row.before,
    shown: (row) => row.texts.before,
  },
  {
    key: 'after',
    heading: 'After',
    aliases: ['value'],
    rank: 5,
    wraps: true,
    get: (row) => row.after,
    shown: (row) => row.texts.after,
  },
];

/** The name of each attribute by its slug, and its values as tables show them: options by label. */
function formatsOf(attributes: readonly CustomListAttribute[]) {
  const names = new Map(attributes.map(({ slug, name }) => [slug, name]));
  return new Map(
    entryColumns(attributes).flatMap((column) => {
      const slug = (column.own ?? column).path?.[1];
      if (slug === undefined) return [];
      const format = (value: unknown) => {
        const row = { values: { [slug]: value } };
        return { cell: column.get(row), text: column.onScreen?.(row) ?? displayCell(column, row) };
      };
      return [[slug, { name: names.get(slug), format }] as const];
    }),
  );
}
