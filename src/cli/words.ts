/** Words of messages. */

/** `1 entry`, `2 entries`. */
export function amount(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
