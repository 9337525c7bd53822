/** An attribute of the name that a new one would get. */
import type { Context } from '../../cli/context.ts';
import type { CustomListAttribute } from '../../contract/lists.ts';
import { usage } from '../../core/errors.ts';
import type { ReadList } from '../entries/read.ts';
import { attributeNamed } from '../lists/read.ts';

/** The attribute to show instead of creating it; undefined where it is created. @throws usage for one of another type */
export function existingAttribute(
  ctx: Context,
  list: ReadList,
  { name, attribute_type: type }: { name: string; attribute_type: string },
  ifNotExists = false,
): CustomListAttribute | undefined {
  if (!ifNotExists) {
    const same = list.list_attributes?.find((attribute) => attribute.name === name);
    if (same)
      ctx.out.warn(
        `"${list.name ?? list.id}" has an attribute "${name}" already (${same.slug}); this creates another one`,
      );
    return undefined;
  }
  const existing = attributeNamed(list, name);
  if (existing === undefined) return undefined;
  if (existing.attribute_type !== type) {
    throw usage(`the attribute "${name}" exists already, and its type is ${existing.attribute_type}, not ${type}`);
  }
  ctx.out.note(`The attribute "${name}" exists already; nothing was created.`);
  return existing;
}
