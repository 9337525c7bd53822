/** A list of the API as a specification. */
import type { CustomListAttribute, CustomListWithAttributes } from '../../contract/lists.ts';
import { optionsOf } from '../entries/options.ts';
import { attributeKeys, matchPartners, optionKeys } from './difference.ts';
import {
  type AttributeSpec,
  type ExistingAttribute,
  type ExistingList,
  type ListSpec,
  numeric,
  type OptionSpec,
} from './spec.ts';

export function existingList(list: CustomListWithAttributes): ExistingList {
  const { id, slug, name = '', description, icon, color, entity_type, context_type, position } = list;
  return {
    ...present({ id, slug, name, description, icon, color, entity_type, context_type, position }),
    name,
    attributes: (list.list_attributes ?? []).map(existingAttribute),
  };
}

function existingAttribute(attribute: CustomListAttribute): ExistingAttribute {
  const { id, slug, name, attribute_type: type, is_required, position, config } = attribute;
  // A server may send null, against its description.
  const { currency, min, max } = config ?? {};
  const options = optionsOf(attribute)?.map((option): OptionSpec => {
    const { id: optionId, label, tone, color } = option;
    return { ...present({ id: optionId, tone, color }), label: label ?? optionId ?? '' };
  });
  return {
    ...present({
      id,
      slug,
      currency,
      min,
      max,
      options,
      position: position === undefined ? undefined : Number(position),
    }),
    name: name ?? slug ?? '',
    type: type ?? 'text',
    required: is_required ?? false,
    ...(config ? { config } : {}),
  };
}

/** The file of the list, in the order that reads best. With ids it is complete: null is written for what is not set. */
export function listFile(list: ExistingList, ids = true): ListSpec {
  const { id, slug, name, description, icon, color, entity_type, context_type, position } = list;
  const set = ids ? fillWithNull : present;
  return {
    ...(ids ? present({ id, slug }) : {}),
    name,
    ...set({ description, icon, color }),
    ...present({ entity_type }),
    ...set({ context_type }),
    ...present({ position }),
    attributes: list.attributes.map((attribute) => attributeFile(attribute, ids)),
  };
}

function attributeFile(attribute: ExistingAttribute, ids: boolean): AttributeSpec {
  const { id, slug, name, type, required, currency, min, max, options } = attribute;
  return {
    ...(ids ? present({ id, slug }) : {}),
    name,
    type,
    ...present({ required }),
    ...(ids ? fillWithNull : present)({
      ...(type === 'currency' && { currency }),
      ...(numeric.includes(type) && { min, max }),
    }),
    ...(options === undefined ? {} : { options: options.map((option) => optionFile(option, ids)) }),
  };
}

function optionFile({ id, label, tone, color }: OptionSpec, ids: boolean): OptionSpec {
  return { ...(ids ? present({ id }) : {}), label, ...present({ tone, color }) };
}

function fillWithNull<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? null])) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], null | undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], null | undefined>;
  };
}

/** The specification with the ids and slugs of the list. @param createdIds of new attributes, by their index */
export function withIds(
  spec: ListSpec,
  list: ExistingList,
  createdIds: ReadonlyMap<number, string> = new Map(),
): ListSpec {
  const { $schema, ...fields } = spec;
  const attributes = spec.attributes?.map((attribute, index) => ({
    ...attribute,
    ...present({ id: createdIds.get(index) }),
  }));
  const partners = matchPartners(attributes ?? [], list.attributes, attributeKeys);
  const complete = attributes?.map((attribute, index) => {
    const partner = list.attributes[partners.get(index) ?? -1];
    return partner === undefined ? attribute : attributeWithIds(attribute, partner);
  });
  return { ...present({ $schema }), ...identify(fields, list), ...(complete && { attributes: complete }) };
}

function attributeWithIds(attribute: AttributeSpec, partner: ExistingAttribute): AttributeSpec {
  const { options = [] } = attribute;
  const partners = matchPartners(options, partner.options ?? [], optionKeys);
  const complete = options.map((option, index) =>
    identify(option, partner.options?.[partners.get(index) ?? -1] ?? option),
  );
  return { ...identify(attribute, partner), ...(attribute.options && { options: complete }) };
}

interface Identified {
  id?: string;
  slug?: string;
}

/** The item with the id and slug of its partner, which come first. */
function identify<T extends Identified>(item: T, { id, slug }: Identified): T {
  const { id: _id, slug: _slug, ...rest } = item;
  return { ...present({ id, slug }), ...rest } as T;
}
