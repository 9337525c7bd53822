/** Matches wanted things with existing ones. */

/**
 * For each wanted thing the place of its partner, by the first key that finds one: ids of all before slugs of any, so
 * that a new thing never takes the partner of a renamed one.
 */
export function matched<W, E>(
  wanted: readonly W[],
  existing: readonly E[],
  keys: readonly ((one: W | E) => string | undefined)[],
): Map<number, number> {
  const partners = new Map<number, number>();
  const taken = new Set<number>();
  for (const key of keys) {
    for (const [index, one] of wanted.entries()) {
      const wantedKey = partners.has(index) ? undefined : key(one);
      if (wantedKey === undefined) continue;
      const found = existing.findIndex((other, at) => !taken.has(at) && key(other) === wantedKey);
      if (found < 0) continue;
      partners.set(index, found);
      taken.add(found);
    }
  }
  return partners;
}

interface Named {
  id?: string;
  slug?: string;
  name: string;
}

export const attributeKeys = [
  ({ id }: Named) => id?.toLowerCase(),
  ({ slug }: Named) => slug,
  ({ name }: Named) => name,
] as const;

export const optionKeys = [({ id }: { id?: string }) => id, ({ label }: { label?: string }) => label] as const;
