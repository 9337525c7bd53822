/** What an expression is about: the names that it may use, each with its type, and how a row answers to them. */

/**
 * The types of values. A `date` is a calendar day, a `time` an instant; `options` is a set of options. `unknown` is the
 * type of every column without a list: it goes with anything, and nothing is evaluated.
 */
export type ValueType = 'number' | 'text' | 'boolean' | 'date' | 'time' | 'option' | 'options' | 'unknown';

export interface Option {
  id: string;
  label: string;
}

export interface Column<Row> {
  type: ValueType;
  /** Of `option` and `options`, in their order; undefined where they are not known. */
  options?: readonly Option[] | undefined;
  /** What numbers are of: those of two currencies are neither added nor compared. */
  currency?: string | undefined;
  /** The value as the API gives it: a number, text, boolean, option id or array of them; undefined and null are empty. */
  get(row: Row): unknown;
}

export interface Scope<Row> {
  column(name: string): Column<Row> | undefined;
  /** Every name, for suggestions. */
  names: readonly string[];
  /** What `now`, `today` and the running month stand for. */
  now: () => Date;
}
