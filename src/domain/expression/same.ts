/** Whether two parts of an expression say the same. */
import { ExactNumber } from '../../core/json.ts';
import type { Typed } from './typed.ts';

/** The same text for parts that say the same, wherever they stand. */
export function sameText<Row>(node: Typed<Row>): string {
  let functions = 0;
  return JSON.stringify(node, function (this: Record<string, unknown>, key, value: unknown) {
    if (key === 'at' || key === 'column') return undefined;
    const exact = this[key];
    if (exact instanceof ExactNumber) return `${exact}`;
    if (typeof value !== 'function') return value;
    functions += 1;
    return `${node.at} ${functions}`;
  });
}
