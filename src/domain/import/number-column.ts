/** How the numbers of a column are written, from all its cells. */
import type { Numeric } from '../../core/json.ts';
import { canonicalText } from '../../core/same.ts';
import type { UnitCell } from '../../core/workbook/sheet.ts';
import { parseNumber } from '../entries/numbers.ts';
import { commaStyle, currenciesOf, type NumberStyle, pointStyle, type ReadNumber, readNumber } from './numbers.ts';

/** A cell, as it is named. */
export interface Cited {
  line: number;
  text: string;
}

export type NumberFinding =
  /** Two cells that no one way of writing explains. */
  | { is: 'mixed'; point: Cited; comma: Cited }
  /** A cell with two readings. */
  | { is: 'ambiguous'; cell: Cited; point: string; comma: string; isPlain: boolean }
  /** Only the decimal comma explains the cell. */
  | { is: 'comma'; cell: Cited }
  | { is: 'currencies'; cells: [Cited, Cited] }
  | { is: 'currency'; cell: Cited; wanted: string }
  | { is: 'partly percent'; cells: [Cited, Cited] }
  | { is: 'percent'; cell: Cited };

export class NumberColumn {
  private readonly proof: { point?: Cited; comma?: Cited } = {};
  private doubt: Extract<NumberFinding, { is: 'ambiguous' }> | undefined;
  private currencies: { codes: readonly string[]; cell: Cited } | undefined;
  private clash: Cited | undefined;
  private foreign: Cited | undefined;
  private percent: Cited | undefined;
  private bare: Cited | undefined;

  /**
   * @param given the style, if it is known
   * @param currency of the attribute
   */
  constructor(
    private readonly given: NumberStyle | undefined,
    private readonly currency: string | undefined,
  ) {}

  add(text: string, line: number): void {
    const cell = { line, text };
    if (this.given !== undefined) {
      const read = readNumber(text, this.given);
      if (read) this.addUnit(read, cell);
      return;
    }
    const [point, comma] = [readNumber(text, pointStyle), readNumber(text, commaStyle)];
    if (point) this.addUnit(point, cell);
    else if (comma) this.addUnit(comma, cell);
    if (point && comma) {
      const [one, other] = [canonicalText(point.value), canonicalText(comma.value)];
      if (one === other) return;
      const isPlain = parseNumber(text) !== undefined;
      // A cell with a sign or a comma is the clearer example.
      if (this.doubt === undefined || (this.doubt.isPlain && !isPlain)) {
        this.doubt = { is: 'ambiguous', cell, point: one, comma: other, isPlain };
      }
    } else if (point) this.proof.point ??= cell;
    else if (comma) this.proof.comma ??= cell;
  }

  /** A number of a workbook, which its format shows with a unit, or without one. */
  addCell({ number, unit }: Partial<UnitCell> & { number: Numeric }, line: number): void {
    const isPercent = unit === '%';
    this.addUnit(
      { value: number, currency: isPercent ? undefined : unit, isPercent },
      { line, text: shown(number, unit) },
    );
  }

  /** What the column shows about itself, problems and notes. */
  get findings(): NumberFinding[] {
    const found: NumberFinding[] = [];
    const { point, comma } = this.proof;
    if (point && comma) found.push({ is: 'mixed', point, comma });
    else if (comma) found.push({ is: 'comma', cell: comma });
    else if (!point && this.doubt) found.push(this.doubt);
    if (this.clash && this.currencies) found.push({ is: 'currencies', cells: [this.currencies.cell, this.clash] });
    else if (this.foreign && this.currency) found.push({ is: 'currency', cell: this.foreign, wanted: this.currency });
    if (this.percent && this.bare) found.push({ is: 'partly percent', cells: [this.percent, this.bare] });
    else if (this.percent) found.push({ is: 'percent', cell: this.percent });
    return found;
  }

  get style(): NumberStyle {
    return this.given ?? (this.proof.comma && !this.proof.point ? commaStyle : pointStyle);
  }

  private addUnit({ value, currency, isPercent }: ReadNumber, cell: Cited): void {
    if (isPercent) this.percent ??= cell;
    else if (Number(value) !== 0) this.bare ??= cell;
    if (currency === undefined) return;
    const codes = currenciesOf(currency) ?? [currency];
    if (this.currency !== undefined && !codes.includes(this.currency)) this.foreign ??= cell;
    const common = this.currencies ? this.currencies.codes.filter((code) => codes.includes(code)) : codes;
    if (common.length === 0) this.clash ??= cell;
    else this.currencies = { codes: common, cell: this.currencies?.cell ?? cell };
  }
}

function shown(number: Numeric, unit: string | undefined): string {
  const digits = canonicalText(number);
  return unit === undefined ? digits : unit === '%' ? `${digits}%` : `${digits} ${unit}`;
}
