/** Divisions of a statement in which SQLite drops the fraction, found in its text: SQLite does not report them. */

/** Functions whose result is whole, and those whose result is whole where their argument is. */
const wholeFunctions = /^(?:count|length|row_number|rank|dense_rank|ntile|instr|sign|unixepoch)$/i;
const keepingFunctions = /^(?:sum|min|max|abs|coalesce|ifnull|nullif)$/i;
/** Words after which a parenthesis is not the argument of a function. */
const keywords = 'select|where|having|by|on|and|or|not|in|case|when|then|else|as|from|using|over|between|like|is';

const word = String.raw`(?<![\p{L}\p{N}_$])(?!(?:${keywords})\b)[\p{L}_][\p{L}\p{M}\p{N}_$]*`;
const name = String.raw`(?:"[^"]*"|\x60[^\x60]*\x60|\[[^\]]*\]|${word})`;
/** Parentheses, of three levels at most. */
const inner = [1, 2].reduce((deeper) => String.raw`\((?:[^()]|${deeper})*\)`, String.raw`\([^()]*\)`);
const factor = String.raw`(?:\d+\.?\d*(?:e[+-]?\d+)?|${name}(?:\s*\.\s*${name})*(?:\s*${inner})?|${inner})`;

const products = new RegExp(String.raw`${factor}(?:\s*[*/%]\s*${factor})*`, 'giu');
const factors = new RegExp(`${factor}|[*/%]`, 'giu');
const call = new RegExp(String.raw`^(?<called>${name})?\s*\((?<argument>.*)\)$`, 'isu');
const notCode = /'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;

/**
 * The divisions of whole numbers, each as it is written.
 * @param isWhole whether a column of this name holds whole numbers
 */
export function wholeDivisions(statement: string, isWhole: (column: string) => boolean): string[] {
  const code = statement.replace(notCode, (text) => ' '.repeat(text.length));
  return divisionsIn(code, isWhole).map(([from, to]) => statement.slice(from, to));
}

type IsWhole = (column: string) => boolean;

/** Start and end of each division. */
function divisionsIn(code: string, isWhole: IsWhole, offset = 0): [number, number][] {
  return [...code.matchAll(products)].flatMap(({ 0: product, index: start }) => {
    const divisions: [number, number][] = [];
    let [areWhole, isDivisor] = [true, false];
    for (const { 0: text, index } of product.matchAll(factors)) {
      const at = start + index;
      if (/^[*/%]$/.test(text)) {
        isDivisor = text === '/';
        continue;
      }
      areWhole &&= isWholeFactor(text, isWhole);
      if (isDivisor && areWhole) divisions.push([offset + start, offset + at + text.length]);
      const open = text.indexOf('(');
      if (open >= 0) divisions.push(...divisionsIn(text.slice(open + 1, -1), isWhole, offset + at + open + 1));
    }
    return divisions;
  });
}

/** Whether the value is a whole number; false where that is not known. */
function isWholeValue(text: string, isWhole: IsWhole): boolean {
  const parts = (text.match(factors) ?? []).filter((part) => !/^[*/%]$/.test(part));
  const isPlain = /^[-+\s]*$/.test(text.replace(factors, ''));
  return parts.length > 0 && isPlain && parts.every((part) => isWholeFactor(part, isWhole));
}

function isWholeFactor(text: string, isWhole: IsWhole): boolean {
  if (/^\d/.test(text)) return /^\d+$/.test(text);
  const { called, argument } = call.exec(text)?.groups ?? {};
  if (argument === undefined)
    return isWhole(
      text
        .replace(/^.*\.\s*/s, '')
        .replace(/^["`[]|["`\]]$/g, '')
        .toLowerCase(),
    );
  if (called === undefined) return isWholeValue(argument, isWhole);
  const first = argument.split(',')[0] ?? '';
  return wholeFunctions.test(called) || (keepingFunctions.test(called) && isWholeValue(first, isWhole));
}
