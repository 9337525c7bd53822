/** How many cells text takes on a terminal, and cutting it to a width. The only file that knows the library for it. */

/** Every character takes one cell: Latin letters, dashes, quotes, the ellipsis, currency signs. */
const single = /^[ -~\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf]*$/;

export interface Measure {
  width(text: string): number;
  /** Cut to `cells`, the last one `…`; the text itself when it fits. Never cuts inside a character as people see it. */
  cut(text: string, cells: number): string;
}

/** The measure for these texts. The library and the segmenter are loaded only for scripts that need them. */
export async function measureFor(texts: Iterable<string>): Promise<Measure> {
  for (const text of texts) if (!single.test(text)) return wide();
  return narrow;
}

const narrow: Measure = {
  width: (text) => text.length,
  cut: (text, cells) => (text.length <= cells ? text : `${text.slice(0, Math.max(cells - 1, 0)).trimEnd()}…`),
};

let loaded: Measure | undefined;

async function wide(): Promise<Measure> {
  if (loaded) return loaded;
  const { default: stringWidth } = await import('string-width');
  const segmenter = new Intl.Segmenter();
  const width = (text: string) => (single.test(text) ? text.length : stringWidth(text));
  loaded = {
    width,
    cut(text, cells) {
      if (single.test(text)) return narrow.cut(text, cells);
      if (width(text) <= cells) return text;
      let kept = '';
      let used = 0;
      for (const { segment } of segmenter.segment(text)) {
        const next = width(segment);
        if (used + next > cells - 1) break;
        kept += segment;
        used += next;
      }
      return `${kept.trimEnd()}…`;
    },
  };
  return loaded;
}
