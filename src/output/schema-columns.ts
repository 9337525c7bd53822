/** Columns of a resource from its schema in the contract: every field, in the order of docs/api.md, "Resources". */
import { baseType, type JsonSchema } from '../contract/schema.ts';
import { isObject } from '../core/json.ts';
import type { Cell, Column, ColumnType } from './column.ts';

type Rules = Partial<Omit<Column, 'key' | 'get'>>;

/**
 * A column for each property.
 * @param rules what the schema does not say (a shorter heading, hidden in tables)
 * @param named properties that are ids of companies or users, which tables show by name
 */
export function schemaColumns<Row extends object>(
  schema: JsonSchema,
  rules: Readonly<Record<string, Rules>> = {},
  named: readonly string[] = [],
): Column<Row>[] {
  return Object.entries(schema.properties ?? {}).map(([key, property]) => ({
    key,
    // Made when a table asks: most output has none.
    get heading() {
      return headingOf(key);
    },
    type: typeOf(property),
    ...(named.includes(key) && { names: (row: object) => Reflect.get(row, key) }),
    ...(rules[key] as Partial<Column<Row>> | undefined),
    get: (row) => (row as Record<string, Cell>)[key],
  }));
}

/** A column for each key of the rows, in the order in which the keys turn up. */
export function foundColumns(rows: Iterable<unknown>): Column<Record<string, unknown>>[] {
  const keys = new Set<string>();
  for (const row of rows) if (isObject(row)) for (const key of Object.keys(row)) keys.add(key);
  return [...keys].map((key) => ({ key, get: (row) => row[key] as Cell }));
}

/** `recipient_company_id` and `recipientCompanyId` as `Recipient company`; a bare id is `ID`. */
function headingOf(key: string): string {
  if (key === 'id') return 'ID';
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_')
    .filter((word, index, all) => !(word === 'id' && index === all.length - 1));
  const text = words.join(' ').replace(/ at$/, '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function typeOf(schema: JsonSchema): ColumnType {
  if (schema.format === 'uuid') return 'id';
  if (schema.format === 'date') return 'date';
  if (schema.format === 'date-time') return 'datetime';
  switch (baseType(schema)) {
    case 'integer':
      return 'integer';
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'string':
      return 'text';
    default:
      return 'json';
  }
}
