/** Nodes of a YAML document as plain values, numbers exact. */
import type * as Yaml from 'yaml';
import { usage } from './errors.ts';
import { isInRange, NumberRangeError, numeric } from './json.ts';

/** More aliases than this are an attack, not a file. */
const maxAliases = 10_000;

/** `name` is what the text is called in messages. */
export function plain(
  yaml: typeof Yaml,
  document: Yaml.Document,
  name: string,
  from: unknown = document.contents,
): unknown {
  let aliases = 0;
  const open = new Set<unknown>();
  const read = (item: unknown): unknown => {
    if (yaml.isAlias(item)) {
      aliases += 1;
      const target = item.resolve(document);
      if (aliases > maxAliases) throw usage(`${name}: more than ${maxAliases} aliases; write the values out`);
      if (open.has(target)) throw usage(`${name}: the alias *${item.source} is inside its own value`);
      return read(target);
    }
    if (yaml.isScalar(item)) return scalar(item, name);
    if (yaml.isMap(item)) {
      open.add(item);
      // A null prototype would surprise readers; defineProperty keeps a key named __proto__ an ordinary key.
      const result: Record<string, unknown> = {};
      for (const pair of item.items) {
        const key = yaml.isScalar(pair.key) ? keyText(pair.key) : String(pair.key);
        Object.defineProperty(result, key, {
          value: read(pair.value),
          enumerable: true,
          writable: true,
          configurable: true,
        });
      }
      open.delete(item);
      return result;
    }
    if (yaml.isSeq(item)) {
      open.add(item);
      const result = item.items.map(read);
      open.delete(item);
      return result;
    }
    return null;
  };
  return read(from);
}

function scalar(item: Yaml.Scalar, name: string): unknown {
  if (typeof item.value !== 'number' && typeof item.value !== 'bigint') return item.value;
  const source = item.source ?? String(item.value);
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(source)) {
    if (!isInRange(source)) throw usage(`${name}: ${new NumberRangeError(source).message}`);
    return numeric(source);
  }
  const value = Number(item.value);
  if (!Number.isFinite(value)) throw usage(`${name}: ${source} is not a number that can be kept`);
  return value;
}

/** A key is its text: `2006:` and `"2006":` are the same key, and `1.10:` is not `1.1:`. */
export function keyText(key: Yaml.Scalar): string {
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
}
