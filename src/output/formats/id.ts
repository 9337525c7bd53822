/** Only ids, one on each line: for `xargs` and for the commands that read ids on stdin. */
import { usage } from '../../core/errors.ts';
import { cleanLine } from '../terminal-text.ts';
import type { Result, RowWriter } from './writer.ts';

export function idWriter<Row>({ id }: Result<Row>): RowWriter<Row> {
  return {
    rows(rows) {
      let text = '';
      for (const row of rows) {
        const found = id(row);
        if (found === undefined)
          throw usage('-o id prints ids, but the rows of this command have none', 'use another -o');
        // An id that spans lines would be read as two.
        text += `${cleanLine(found)}\n`;
      }
      return text;
    },
  };
}
