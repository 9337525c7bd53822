// cli-table3 requires string-width 4, which takes new emoji and most combining marks for wider than terminals do. The
// overrides in package.json give it this: fast-string-width, an ES module, as the CommonJS function that it expects.
// string-width 8 is not used: engines compile its pattern of all emoji when they read the file, which takes 15 ms.

const { default: stringWidth } = require('fast-string-width');

/** Most text: Latin letters, dashes, quotes, currency signs. cli-table3 measures a cell twenty times and more. */
const onlySingle = /^[ -~\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf]*$/;

/** What the library takes for one cell, and terminals for none. */
const invisible = /[\u00ad\u200b\u2060-\u2064\ufeff]/g;

/** Letters that are spelt out (Hangul of a file name from macOS) are measured as the one that a terminal shows. */
module.exports = (text) => (onlySingle.test(text) ? text.length : stringWidth(text.normalize().replace(invisible, '')));
