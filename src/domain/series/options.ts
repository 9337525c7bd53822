/** What may be asked of a series beyond its stored rows. Loaded with the flags, so nothing that computes is here. */

/** How months become a quarter or year. */
export const aggregations = ['sum', 'average', 'last', 'first', 'min', 'max'] as const;
export type Aggregation = (typeof aggregations)[number];

/** What a row or value that is missing becomes. */
export const fills = ['none', 'null', 'zero', 'prev'] as const;
export type Fill = (typeof fills)[number];

/** One row for each period and version, for each value, or for each metric with its versions side by side. */
export const seriesShapes = ['wide', 'long', 'versions'] as const;
export type SeriesShape = (typeof seriesShapes)[number];

/** Reads `mrr=sum`; undefined when the text is not a metric with an aggregation. */
export function parseAggregation(text: string): [metricId: string, how: Aggregation] | undefined {
  const at = text.lastIndexOf('=');
  const [metric, how] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  const found = aggregations.find((known) => known === how);
  return at <= 0 || metric === '' || !found ? undefined : [metric, found];
}
