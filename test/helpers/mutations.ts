/** A JSON value with one field taken away, null, or of another type. */
export type Change = readonly [says: string, make: (given: unknown) => unknown];

/** Values of every type, none of which fits everywhere. */
const wrong: readonly unknown[] = [7, 'text', true, [], {}, [null], { a: {} }, '__proto__', 1e300, ''];

/**
 * Changes of fields, at any depth of the first item of an array. `turn` chooses for every sixth field one of the
 * three, so that 18 callers together try all; undefined: all of them.
 */
export function fieldChanges(value: unknown, turn?: number): Change[] {
  return pathsOf(value).flatMap((path, index): Change[] => {
    const name = path.join('.');
    const other = wrong[(index + (turn ?? 0)) % wrong.length];
    const three: Change[] = [
      [`without ${name}`, (given) => changed(given, path, undefined)],
      [`${name} null`, (given) => changed(given, path, null)],
      [`${name} ${JSON.stringify(other)}`, (given) => changed(given, path, other)],
    ];
    if (turn === undefined) return three;
    const chosen = (index + turn) % 18;
    return three.slice(chosen, chosen + 1);
  });
}

function pathsOf(value: unknown, before: readonly string[] = []): string[][] {
  if (Array.isArray(value)) return value.length === 0 ? [] : pathsOf(value[0], [...before, '0']);
  if (typeof value !== 'object' || value === null || before.length > 4) return [];
  return Object.entries(value).flatMap(([name, item]) => [[...before, name], ...pathsOf(item, [...before, name])]);
}

function changed(given: unknown, path: readonly string[], value: unknown): unknown {
  const copy = structuredClone(given);
  const holder = path
    .slice(0, -1)
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], copy);
  if (typeof holder === 'object' && holder !== null) Reflect.set(holder, path.at(-1) ?? '', value);
  return copy;
}

/** What a program prints of a value that it did not have. */
export const suspicious = /\bundefined\b|\bNaN\b|\[object \w+\]|Invalid Date/;
