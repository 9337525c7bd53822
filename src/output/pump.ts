/** Rows from their source to whoever formats them, in handfuls. */

/** As many rows as are given at once while the source has more at hand. */
export const handful = 128;

/**
 * Reads `source` and gives its rows to `take` in order, a handful at a time; what is there when the source pauses (the
 * end of a page) is given at once. Stops after `limit` rows, or when `take` says so, and then lets the source clean up.
 * When the source fails, the rows before the failure are given first.
 * @param take gives false when no more rows are wanted
 * @returns how many rows were given
 */
export async function pump<Row>(
  source: Iterable<Row> | AsyncIterable<Row>,
  limit: number,
  take: (rows: readonly Row[]) => Promise<boolean>,
): Promise<number> {
  let rows: Row[] = [];
  let given = 0;
  let wanted = true;
  const give = async () => {
    const now = rows;
    rows = [];
    if (now.length === 0 || !wanted) return;
    wanted = await take(now);
    given += now.length;
  };
  if (limit <= 0) return 0;
  if (Symbol.iterator in source) {
    let count = 0;
    for (const row of source) {
      rows.push(row);
      count += 1;
      if (count >= limit) break;
      if (rows.length >= handful) await give();
      if (!wanted) break;
    }
    await give();
    return given;
  }

  // A source that has rows at hand gives them without letting the event loop turn: when it turns, the source pauses.
  let waiting = false;
  let early: Promise<void> | undefined;
  let watch: NodeJS.Immediate | undefined;
  const onTurn = () => {
    watch = undefined;
    if (waiting && rows.length > 0) {
      early = give();
      early.catch(() => {});
    }
  };
  const iterator = source[Symbol.asyncIterator]();
  let count = 0;
  let ended = false;
  try {
    while (wanted && count < limit) {
      waiting = true;
      const next = await iterator.next();
      waiting = false;
      if (early) {
        await early;
        early = undefined;
      }
      if (next.done) {
        ended = true;
        break;
      }
      rows.push(next.value);
      count += 1;
      if (rows.length >= handful) await give();
      else watch ??= setImmediate(onTurn);
    }
  } catch (error) {
    ended = true;
    waiting = false;
    await early;
    await give();
    throw error;
  } finally {
    waiting = false;
    clearImmediate(watch);
    if (!ended) await iterator.return?.();
  }
  await give();
  return given;
}
