/** JSON: one array, a row on each line. A failure leaves the array open, so that no parser takes it for complete. */
import { stringifyJson } from '../../core/json.ts';
import type { Result, RowWriter } from './writer.ts';

export function jsonWriter<Row>({ json }: Result<Row>): RowWriter<Row> {
  let before = '\n';
  return {
    open: () => '[',
    rows(rows) {
      let text = '';
      for (const row of rows) {
        text += before + stringifyJson(json(row));
        before = ',\n';
      }
      return text;
    },
    close: (none) => (none ? ']\n' : '\n]\n'),
  };
}

/** NDJSON: a row on each line. */
export function ndjsonWriter<Row>({ json }: Result<Row>): RowWriter<Row> {
  return {
    rows(rows) {
      let text = '';
      for (const row of rows) text += `${stringifyJson(json(row))}\n`;
      return text;
    },
  };
}
