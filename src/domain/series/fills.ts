/** What may stand where a series has no row or value. */
export const fills = ['none', 'null', 'zero', 'prev'] as const;
export type Fill = (typeof fills)[number];
