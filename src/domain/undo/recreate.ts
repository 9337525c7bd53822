/** Plans the requests that re-create a deleted resource. Pure. */
import { type Thing, thingOf } from './undo.ts';

/** Fields of a deleted entry that a new one takes. */
export function entryToRecreate(entry: Thing): Thing {
  const { title, values, position, archived, linked_entity_type, linked_entity_id } = entry;
  const filled = Object.entries(thingOf(values)).filter(([, value]) => value !== null && value !== undefined);
  const all = { title, values: Object.fromEntries(filled), position, archived, linked_entity_type, linked_entity_id };
  return present(all);
}

/** Fields of a deleted attribute that a new one takes; its options keep their ids. */
export function attributeToRecreate({ name, attribute_type, config, is_required, position }: Thing): Thing {
  return present({ name, attribute_type, config, is_required, position });
}

/** Fields of a deleted list that a new one takes. */
export function listToRecreate({ name, description, icon, color, entity_type, context_type, position }: Thing): Thing {
  return present({ name, description, icon, color, entity_type, context_type, position });
}

function present(resource: Thing): Thing {
  return Object.fromEntries(Object.entries(resource).filter(([, value]) => value !== undefined && value !== null));
}
