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
        const labels = new Labels(attributes);
        const times = await timesOf({ part: 'entries', owner: list.id, list: list.id });
        return entryChanges(versions, slugs, times).map((change) => ({
          ...change,
          attribute: labels.name(change.field),
          before: labels.format(change.field, change.before),
          after: labels.format(change.field, change.after),
          texts: {
            before: labels.text(change.field, change.before),
            after: labels.text(change.field, change.after),
          },
        }));
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

/** Formats values as tables do: options by label. */
class Labels {
  private readonly readers: ReadonlyMap<string, Column<{ values: Record<string, unknown> }>>;
  private readonly names: ReadonlyMap<string, string>;

  constructor(attributes: readonly CustomListAttribute[]) {
    const columns = entryColumns(attributes);
    const bySlug = columns.flatMap((column) => {
      const slug = (column.own ?? column).path?.[1];
      return slug === undefined ? [] : [[slug, column] as const];
    });
    this.readers = new Map(bySlug);
    this.names = new Map(attributes.flatMap(({ slug, name }) => (slug && name ? [[slug, name] as const] : [])));
  }

  name(field: string | null): string | undefined {
    return field === null ? undefined : (this.names.get(field) ?? field);
  }

  format(field: string | null, value: unknown): Cell {
    const reader = field === null ? undefined : this.readers.get(field);
    return reader && field !== null && value !== undefined
      ? reader.get({ values: { [field]: value } })
      : (value as Cell);
  }

  text(field: string | null, value: unknown): string | undefined {
    const reader = field === null ? undefined : this.readers.get(field);
    if (!reader || field === null || value === undefined) return undefined;
    const row = { values: { [field]: value } };
    return reader.onScreen?.(row) ?? displayCell(reader, row);
  }
}
