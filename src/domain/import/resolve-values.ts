/** From values as they were planned for attributes that did not exist yet to values of the attributes that now do. */
import { Failure } from '../../core/errors.ts';
import { type Attribute, findOption } from '../entries/options.ts';
import type { NewAttribute } from './infer.ts';

/** Planned slug to the attribute that was created for it. */
export type CreatedAttributes = ReadonlyMap<string, Attribute>;

/** @throws rejected when an attribute that was asked for is not there */
export function matchCreated(wanted: readonly NewAttribute[], attributes: readonly Attribute[]): CreatedAttributes {
  return new Map(
    wanted.map((one) => {
      const found =
        attributes.find(({ name, slug }) => name === one.name && slug === one.slug) ??
        attributes.find(({ name }) => name === one.name);
      if (found?.slug === undefined) {
        throw new Failure('rejected', `the attribute "${one.name}" was created, and the list does not show it`);
      }
      return [one.slug, found];
    }),
  );
}

/** Slugs as the server gave them, options by their ids. */
export function resolveValues(values: Record<string, unknown>, created: CreatedAttributes): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([slug, value]) => {
      const attribute = created.get(slug);
      return attribute === undefined ? [slug, value] : [attribute.slug ?? slug, optionIdsIn(attribute, value)];
    }),
  );
}

function optionIdsIn(attribute: Attribute, value: unknown): unknown {
  const type = attribute.attribute_type;
  if (type !== 'select' && type !== 'status' && type !== 'multi_select') return value;
  if (Array.isArray(value)) return value.map((item) => optionIdsIn(attribute, item));
  return typeof value === 'string' ? (findOption(attribute, value) ?? value) : value;
}
