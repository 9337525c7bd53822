/** Rows that come several at a time, such as a page: each hand-over from one generator to the next costs a turn. */
export class Batches<Row> implements AsyncIterable<Row> {
  constructor(readonly batches: AsyncIterable<readonly Row[]>) {}

  /** One by one, for who needs them so. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Row> {
    for await (const rows of this.batches) for (const row of rows) yield row;
  }
}
