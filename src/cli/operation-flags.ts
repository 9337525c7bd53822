import type { Body, Operation, Query } from '../contract/operation.ts';
import { baseType, choices, type JsonSchema } from '../contract/schema.ts';
import { usage } from '../core/errors.ts';
import type { Numeric } from '../core/json.ts';
import type { Context } from './context.ts';
import type { AnyCommand, Flag, Flags } from './define.ts';

/** Details of a field's flag that the contract does not have. */
interface FieldSpec {
  /** The flag's key in camelCase; default: the field's name in camelCase. */
  flag?: string;
  /** The placeholder in help; default: derived from the type. */
  value?: string;
  /** Default: the schema's description. */
  summary?: string;
  short?: string;
  /** The schema's pattern in words (`a month such as 2006-01`). */
  says?: string;
  required?: boolean;
  hidden?: boolean;
}

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S;
type KeyOf<Field extends string, Spec> = Spec extends { flag: infer K extends string } ? K : Camel<Field>;
type FlagType<T> =
  NonNullable<T> extends readonly unknown[] ? string[] : NonNullable<T> extends Numeric ? number : NonNullable<T>;
type Specs<T> = { [K in keyof T & string]?: FieldSpec };

type FieldFlag<Field extends string, T> = Flag<T> & { field: Field };

type FieldFlags<T, S> = {
  [K in keyof S & keyof T & string as KeyOf<K, S[K]>]: FieldFlag<K, FlagType<T[K]>>;
};

/** The values of flags by the API's field names, without absent flags. */
type FieldsOf<F> = {
  [K in keyof F as F[K] extends { field: infer N extends string } ? N : never]?: F[K] extends Flag<infer T> ? T : never;
};

/** Flags for fields of the operation's query. */
export function queryFlags<O extends Operation, const S extends Specs<Query<O>>>(
  op: O,
  specs: S,
): FieldFlags<Query<O>, S> {
  return derive(op.query, specs) as FieldFlags<Query<O>, S>;
}

/** Flags for fields of the operation's body. */
export function bodyFlags<O extends Operation, const S extends Specs<NonNullable<Body<O>>>>(
  op: O,
  specs: S,
): FieldFlags<NonNullable<Body<O>>, S> {
  if (!op.body) throw new Error(`${op.id} takes no body`);
  return derive(op.body, specs) as FieldFlags<NonNullable<Body<O>>, S>;
}

/** The values of derived flags under the API's own names; a flag that was not given is left out. */
export function fieldsOf<F extends Flags>(flags: F, values: Record<string, unknown>): FieldsOf<F> {
  const entries = Object.entries(flags).flatMap(([key, { field }]) =>
    field !== undefined && values[key] !== undefined ? [[field, values[key]]] : [],
  );
  return Object.fromEntries(entries) as FieldsOf<F>;
}

/** The camelCase key of an API field: `entity_type` → `entityType`. */
function camelCase(field: string): string {
  return field.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function derive(schema: JsonSchema, specs: Record<string, FieldSpec | undefined>): Flags {
  return Object.fromEntries(
    Object.entries(specs).map(([field, spec]) => {
      const fieldSchema = schema.properties?.[field];
      if (!fieldSchema) throw new Error(`the contract has no field ${field}`);
      return [spec?.flag ?? camelCase(field), fieldFlag(field, fieldSchema, spec ?? {})];
    }),
  );
}

function fieldFlag(field: string, schema: JsonSchema, spec: FieldSpec): Flag {
  const kind = kindOf(schema);
  return {
    kind,
    value: kind === 'boolean' ? undefined : (spec.value ?? placeholder(schema)),
    summary: spec.summary ?? schema.description ?? field.replaceAll('_', ' '),
    short: spec.short,
    required: spec.required,
    hidden: spec.hidden,
    choices: choices(schema),
    minimum: schema.minimum,
    maximum: schema.maximum,
    pattern:
      schema.pattern === undefined
        ? undefined
        : { source: schema.pattern, says: spec.says ?? `text that matches ${schema.pattern}` },
    field,
    schema: kind === 'list' ? undefined : schema,
  };
}

function kindOf(schema: JsonSchema): Flag['kind'] {
  const type = baseType(schema);
  if (type === 'boolean' || type === 'integer' || type === 'number') return type;
  return type === 'array' ? 'list' : 'text';
}

function placeholder(schema: JsonSchema): string {
  const values = choices(schema);
  if (values && values.length <= 4) return values.join('|');
  if (schema.format === 'uuid') return 'UUID';
  if (schema.format === 'date') return 'DATE';
  if (schema.format === 'date-time') return 'TIME';
  return baseType(schema) === 'integer' || baseType(schema) === 'number' ? 'N' : 'TEXT';
}

/** @throws usage for a page size that the operations of a command do not take */
export async function checkPageSize({ path, operations: ids, callsAny }: AnyCommand, size: number): Promise<void> {
  const { operations } = await import('../contract/index.ts');
  const all = ids.map((id): Operation => operations[id]);
  const paged = all.filter(({ paging }) => paging !== 'none');
  if (paged.length === 0 && !callsAny) {
    throw usage(`--page-size is for commands that read page by page, and \`comem ${path}\` does not`, 'omit it');
  }
  for (const op of paged) requirePageSize(op, size);
}

/** @throws usage when the operation does not take pages of this size */
export function requirePageSize(op: Operation, size: number): void {
  const { minimum = 1, maximum = Number.POSITIVE_INFINITY } = op.query.properties?.limit ?? {};
  if (size >= minimum && size <= maximum) return;
  throw usage(`--page-size must be ${minimum} to ${maximum} here, got ${size}`, '--limit has no upper bound');
}

/** The API's own `limit` for the one request of `--raw`: the page size, else as much of `--limit` as one page takes. */
export function rawLimit(ctx: Context, op: Operation): number | undefined {
  const { limit, pageSize } = ctx.settings;
  if (pageSize !== undefined || limit === undefined) return pageSize;
  return Math.max(1, Math.min(limit, op.query.properties?.limit?.maximum ?? limit));
}
