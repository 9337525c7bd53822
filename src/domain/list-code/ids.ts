/** Ids from the server, for the file: the next new name is then a rename. */
import { attributeKeys, matched, optionKeys } from './match.ts';
import type { AttributeSpec, ExistingAttribute, ExistingList, ListSpec } from './spec.ts';

/**
 * The specification with the ids and slugs of the list.
 * @param made ids of attributes that were just created, by their place in the file
 */
export function withIds(spec: ListSpec, list: ExistingList, made: ReadonlyMap<number, string> = new Map()): ListSpec {
  const { $schema, id: _id, slug: _slug, attributes, ...rest } = spec;
  const wanted = attributes?.map((attribute, index) => {
    const id = made.get(index);
    return id === undefined ? attribute : { ...attribute, id };
  });
  const partners = matched(wanted ?? [], list.attributes, attributeKeys);
  return {
    ...($schema === undefined ? {} : { $schema }),
    ...given(list),
    ...rest,
    ...(wanted && {
      attributes: wanted.map((attribute, index) => {
        const partner = list.attributes[partners.get(index) ?? -1];
        return partner === undefined ? attribute : attributeWithIds(attribute, partner);
      }),
    }),
  };
}

function attributeWithIds(attribute: AttributeSpec, partner: ExistingAttribute): AttributeSpec {
  const { id: _id, slug: _slug, options, ...rest } = attribute;
  const partners = matched(options ?? [], partner.options ?? [], optionKeys);
  return {
    ...given(partner),
    ...rest,
    ...(options && {
      options: options.map((option, index) => {
        const id = partner.options?.[partners.get(index) ?? -1]?.id;
        const { id: _, ...said } = option;
        return id === undefined ? option : { id, ...said };
      }),
    }),
  };
}

function given({ id, slug }: { id?: string; slug?: string }): { id?: string; slug?: string } {
  return { ...(id === undefined ? {} : { id }), ...(slug === undefined ? {} : { slug }) };
}
