/** A list of the API as a file that can be read again, whatever its server allows. */
import { readListSpec } from './read.ts';
import type { ListSpec } from './spec.ts';

/** What a file need not contain: what is left out stays as it is. */
const optional: ReadonlySet<string> = new Set([
  ...['description', 'icon', 'color', 'entity_type', 'context_type', 'position'],
  ...['required', 'currency', 'min', 'max', 'options', 'tone', 'id', 'slug'],
]);

interface ReadableFile {
  spec: ListSpec;
  /** Paths of what the file does not contain. */
  leftOut: string[];
  /** What is wrong with the rest, which a file must contain. */
  problems: string[];
}

/** Takes the fields that `readListSpec` refuses out of the file. */
export function readableFile(spec: ListSpec): ReadableFile {
  const leftOut: string[] = [];
  for (;;) {
    const paths: string[] = [];
    const { problems } = readListSpec(spec, (path) => {
      paths.push(path);
      return { line: 1, column: 1 };
    });
    const removed = paths.filter((path) => remove(spec, path));
    if (removed.length === 0) return { spec, leftOut, problems: problems.map(({ message }) => message) };
    leftOut.push(...removed);
  }
}

/** Removes an optional field. False when it is not one, or was removed already. */
function remove(spec: ListSpec, path: string): boolean {
  const steps = path.split('.');
  const field = steps.pop() ?? '';
  const holder = steps.reduce<unknown>((value, step) => (isObject(value) ? value[step] : undefined), spec);
  if (!isObject(holder) || !optional.has(field) || !Object.hasOwn(holder, field)) return false;
  return delete holder[field];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
