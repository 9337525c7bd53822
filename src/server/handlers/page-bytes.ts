/** Pages that end early, because their rows are large (docs/server.md, "Limits"). */

/** As many of the rows as fit into the bytes, but never none where there are any. */
export function fitting<Row>(rows: readonly Row[], most: number, bytesOf: (row: Row) => number): readonly Row[] {
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += bytesOf(row);
    return index > 0 && bytes > most;
  });
  return end < 0 ? rows : rows.slice(0, end);
}
