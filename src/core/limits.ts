/** How deep and how long data may be where text costs more than its length (docs/scripting.md, "Limits"). */

/** Arrays and objects within each other, in JSON and YAML. Walking a deeper value takes more stack than there is. */
export const maxLevels = 500;

/** Bytes of a file, or of stdin, that is read at once. */
export const maxTextBytes = 64 * 1024 * 1024;

/** Characters of a YAML text, which takes a hundred times its size in memory. */
export const maxYamlCharacters = 2 * 1024 * 1024;

export const maxYamlTokens = 400_000;

/** Values of a YAML text, those of its aliases counted each time. */
export const maxYamlValues = 400_000;

/** Aliases of a YAML text; the library compares each with all anchors. */
export const maxYamlAliases = 1000;

/** Columns of a table that is read: CSV, TSV, XLSX, or objects of JSON. Excel has as many. */
export const maxColumns = 16_384;

/** Characters of a line, or a record with line breaks in its cells, of a table that is read. */
export const maxLineCharacters = 16 * 1024 * 1024;

export const maxChecks = 10_000;

/** Parentheses, signs and operations within each other in an expression. */
export const maxExpressionLevels = 200;

export const maxExpressionTokens = 50_000;

/** Characters of a regular expression, or of a pattern of `like`: each takes kilobytes. */
export const maxPatternCharacters = 4000;

export const maxParameters = 1000;

/** Cells of a terminal that one cell of a table takes in a pipe. */
export const maxCellWidth = 500;
