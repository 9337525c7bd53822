/**
 * Builders of plain JSON Schema (2020-12) objects that carry their TypeScript type.
 *
 * The objects are the data itself: the validator reads them, the OpenAPI document prints them,
 * and `Infer` gives the type that they describe. There are no transforms.
 */

import type { Numeric } from '../core/json.ts';

export interface JsonSchema {
  type?: string | readonly string[];
  enum?: readonly unknown[];
  const?: unknown;
  format?: Format;
  pattern?: string;
  /** The pattern in words, for messages. */
  says?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  contains?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
  additionalProperties?: boolean | JsonSchema;
  anyOf?: readonly JsonSchema[];
  default?: unknown;
  description?: string;
  title?: string;
}

/** docs/api.md, "Conventions" 4. */
export type Format = 'uuid' | 'date' | 'date-time';

declare const carried: unique symbol;

/** A JSON Schema that describes values of type T. */
export type Schema<T> = JsonSchema & { readonly [carried]?: T };

export type Infer<S> = S extends Schema<infer T> ? T : never;

type Notes = { description?: string; default?: unknown };
type StringRules = Notes & { format?: Format; pattern?: string; says?: string; minLength?: number; maxLength?: number };
type NumberRules = Notes & { minimum?: number; maximum?: number };

export const string = (rules: StringRules = {}): Schema<string> => ({ type: 'string', ...rules });
export const uuid = (rules: Notes = {}): Schema<string> => ({ type: 'string', format: 'uuid', ...rules });
export const date = (rules: Notes = {}): Schema<string> => ({ type: 'string', format: 'date', ...rules });
export const dateTime = (rules: Notes = {}): Schema<string> => ({ type: 'string', format: 'date-time', ...rules });
export const integer = (rules: NumberRules = {}): Schema<Numeric> => ({ type: 'integer', ...rules });
export const number = (rules: NumberRules = {}): Schema<Numeric> => ({ type: 'number', ...rules });
export const boolean = (rules: Notes = {}): Schema<boolean> => ({ type: 'boolean', ...rules });
export const any = (rules: Notes = {}): Schema<unknown> => ({ ...rules });
export const anyObject = (rules: Notes = {}): Schema<Record<string, unknown>> => ({ type: 'object', ...rules });

export function oneOf<const V extends readonly string[]>(values: V, rules: Notes = {}): Schema<V[number]> {
  return { type: 'string', enum: values, ...rules };
}

export function array<S extends JsonSchema>(
  items: S,
  rules: Notes & { minItems?: number; maxItems?: number; contains?: JsonSchema } = {},
): Schema<Infer<S>[]> {
  return { type: 'array', items, ...rules };
}

/** An object with free keys and values of one schema. */
export function record<S extends JsonSchema>(values: S, rules: Notes = {}): Schema<Record<string, Infer<S>>> {
  return { type: 'object', additionalProperties: values, ...rules };
}

/** The same schema, null allowed. */
export function nullable<S extends JsonSchema>(schema: S): Schema<Infer<S> | null> {
  const { type, enum: choices, ...rest } = schema as JsonSchema;
  if (type === undefined) return { ...schema } as Schema<Infer<S> | null>;
  return {
    ...rest,
    type: [...(typeof type === 'string' ? [type] : type), 'null'],
    ...(choices ? { enum: [...choices, null] } : {}),
  } as Schema<Infer<S> | null>;
}

type Shape = Record<string, JsonSchema>;
type Simplify<T> = { [K in keyof T]: T[K] } & {};
type ObjectOf<P extends Shape, R extends keyof P> = Simplify<
  { [K in R]: Infer<P[K]> } & { [K in Exclude<keyof P, R>]?: Infer<P[K]> }
>;

/**
 * An object with named properties; further properties are allowed unless `additionalProperties` is false,
 * because the API may send more than it documents.
 */
export function object<P extends Shape, const R extends readonly (keyof P & string)[] = readonly []>(
  properties: P,
  rules: Notes & { required?: R; additionalProperties?: boolean; title?: string } = {},
): Schema<ObjectOf<P, R[number]>> {
  return { type: 'object', properties, ...rules } as Schema<ObjectOf<P, R[number]>>;
}

/** The JSON type of a schema without `null`. */
export function baseType(schema: JsonSchema): string | undefined {
  return typeof schema.type === 'string' ? schema.type : schema.type?.find((t) => t !== 'null');
}

/** The allowed values of an enum schema without `null`; undefined for other schemas. */
export function choices(schema: JsonSchema): string[] | undefined {
  return schema.enum?.filter((v): v is string => typeof v === 'string');
}
