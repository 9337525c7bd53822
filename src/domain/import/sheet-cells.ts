/** Cells of a sheet that are neither text nor a plain value. */
import { isNumeric, plainDecimal } from '../../core/json.ts';
import type { UnitCell, WrongCell } from '../../core/workbook/sheet.ts';

export function isUnitCell(cell: unknown): cell is UnitCell {
  return typeof cell === 'object' && cell !== null && 'unit' in cell && 'number' in cell;
}

export function isWrongCell(cell: unknown): cell is WrongCell {
  return typeof cell === 'object' && cell !== null && 'wrong' in cell;
}

/** The cell as text, numbers with a point. */
export function cellText(cell: unknown): string {
  if (cell === undefined || cell === null || isWrongCell(cell)) return '';
  if (isUnitCell(cell)) return plainDecimal(cell.number);
  return isNumeric(cell) ? plainDecimal(cell) : String(cell);
}
