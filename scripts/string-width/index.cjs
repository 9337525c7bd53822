// cli-table3 requires string-width 4, which takes new emoji and most combining marks for wider than terminals do. The
// overrides in package.json give it this: the current string-width, an ES module, as the CommonJS function it expects.
// cli-table3 measures a cell twenty times and more, so common text does not reach the module, which is slow.

/** One cell each: Latin letters, dashes, quotes, the ellipsis, currency signs. */
const single = ' -~\\u00a0-\\u00ac\\u00ae-\\u02ff\\u2010-\\u2027\\u2030-\\u205e\\u20a0-\\u20bf';
/** Two cells each: kana, ideographs and Hangul syllables. */
const double = '\\u3041-\\u3096\\u30a1-\\u30fa\\u4e00-\\u9fff\\uac00-\\ud7a3';
const onlySingle = new RegExp(`^[${single}]*$`);
const onlyBoth = new RegExp(`^[${single}${double}]*$`);
const everyDouble = new RegExp(`[${double}]`, 'g');

const mostKept = 1000;
const kept = new Map();

function measured(text) {
  let width = kept.get(text);
  if (width === undefined) {
    if (kept.size >= mostKept) kept.clear();
    width = require('string-width-esm').default(text);
    kept.set(text, width);
  }
  return width;
}

module.exports = (text) => {
  if (onlySingle.test(text)) return text.length;
  if (onlyBoth.test(text)) return text.length + text.match(everyDouble).length;
  return measured(text);
};
