import { isNumeric, plainDecimal, stringifyJson } from '../core/json.ts';
import type { Cell } from './column.ts';

/** A cell as programs read it: nothing for null and absent, numbers in plain decimal, nested values as compact JSON. */
export function machineCell(cell: Cell): string {
  if (typeof cell === 'string') return cell;
  if (cell === undefined || cell === null) return '';
  if (isNumeric(cell)) return plainDecimal(cell);
  return typeof cell === 'boolean' ? String(cell) : stringifyJson(cell);
}
