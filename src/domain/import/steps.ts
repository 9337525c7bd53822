/** Steps of a mapping (`strip(€)|number`), applied to the text of a cell before it is typed. */
import { usage } from '../../core/errors.ts';
import { nearestHint } from '../../core/nearest.ts';

interface StepRule {
  takes: readonly [number, number];
  form?: string;
  says: string;
  /** The changed text. Steps without it type the result, and come last. */
  change?(text: string, args: readonly string[]): string;
}

const stepRules: Readonly<Record<string, StepRule>> = {
  trim: { takes: [0, 0], says: 'blanks around the text are removed', change: (text) => text.trim() },
  strip: {
    takes: [1, 9],
    form: 'strip(TEXT,…)',
    says: 'each of the texts is removed',
    change: (text, args) => args.reduce((rest, part) => rest.replaceAll(part, ''), text),
  },
  lower: { takes: [0, 0], says: 'in lower case', change: (text) => text.toLowerCase() },
  upper: { takes: [0, 0], says: 'in upper case', change: (text) => text.toUpperCase() },
  replace: {
    takes: [2, 2],
    form: 'replace(OLD,NEW)',
    says: 'the first text becomes the second',
    change: (text, [before = '', after = '']) => text.replaceAll(before, () => after),
  },
  split: {
    takes: [1, 2],
    form: 'split(TEXT[,N])',
    says: 'the part of this number; without one all parts, as options',
    change(text, [separator = '', number]) {
      const parts = text.split(separator).map((part) => part.trim());
      return number === undefined ? parts.filter((part) => part !== '').join(';') : (parts[Number(number) - 1] ?? '');
    },
  },
  prefix: {
    takes: [1, 1],
    form: 'prefix(TEXT)',
    says: 'put before texts without it, and an address before texts without a scheme',
    change(text, [prefix = '']) {
      const isWhole = text.startsWith(prefix) || (hasScheme(prefix) && hasScheme(text));
      return text.trim() === '' || isWhole ? text : `${prefix}${text}`;
    },
  },
  empty: {
    takes: [1, 9],
    form: 'empty(TEXT,…)',
    says: 'a cell of one of the texts is empty, in any case',
    change: (text, args) => (args.some((word) => foldCase(word) === foldCase(text)) ? '' : text),
  },
  default: {
    takes: [1, 1],
    form: 'default(TEXT)',
    says: 'the text of an empty cell',
    change: (text, [other = '']) => (text.trim() === '' ? other : text),
  },
  number: { takes: [0, 1], form: 'number[(LANGUAGE)]', says: 'a number, as written in the language that is named' },
  percent: { takes: [0, 1], form: 'percent[(LANGUAGE)]', says: 'a share: 25 and 25% are 0.25' },
  date: { takes: [0, 1], form: 'date[(FORMAT)]', says: 'a date, in the format that is named' },
};

const foldCase = (text: string) => text.trim().toLowerCase();

/** Whether a mapping begins with a step, such as `strip(€)`, and not with the name of an attribute. */
export function isStep(text: string): boolean {
  const [, name = ''] = /^([a-z]+)\(.*\)$/s.exec(text.trim()) ?? [];
  return Object.hasOwn(stepRules, name);
}

/** The mapping that empties cells of these texts in all columns, as it is typed in a shell. */
export function emptyMapping(texts: Iterable<string>): string {
  const args = Array.from(texts, (text) => (/[,()|=]/.test(text) ? `"${text}"` : text));
  return `'*=empty(${args.join(',').replaceAll("'", "'\\''")})'`;
}

export function stepsText(): string {
  const rules = Object.entries(stepRules);
  return rules.map(([name, { form = name, says }]) => `${form} (${says})`).join(', ');
}

export interface Steps {
  text(cell: string): string;
  as?: { kind: 'number' | 'percent' | 'date'; argument?: string | undefined } | undefined;
  /** The cell becomes several options. */
  isSplit: boolean;
}

interface Step {
  name: string;
  args: readonly string[];
  change: StepRule['change'];
}

/** @param written `strip(€)|number` @param source how messages begin @throws usage for an unknown step, or wrong arguments */
export function readSteps(written: string, source: string): Steps {
  const steps = splitOutside(written, '|').map((step) => stepOf(step.trim(), source));
  const ends = steps.findIndex(({ change }) => change === undefined);
  const [end, after] = ends < 0 ? [] : steps.slice(ends);
  if (end && after) throw usage(`${source}: "${end.name}" must be the last step, and "${after.name}" follows it`);
  return {
    text: (cell) => steps.reduce((text, { change, args }) => change?.(text, args) ?? text, cell),
    as: end && { kind: end.name as 'number' | 'percent' | 'date', argument: end.args[0] },
    isSplit: steps.some(({ name, args }) => name === 'split' && args.length === 1),
  };
}

function stepOf(text: string, source: string): Step {
  const [, name = '', inner] = /^([^(]*)(?:\(([\s\S]*)\))?$/.exec(text) ?? [];
  const word = name.trim().toLowerCase();
  const rule = Object.hasOwn(stepRules, word) ? stepRules[word] : undefined;
  if (rule === undefined) {
    const names = Object.keys(stepRules);
    throw usage(`${source}: unknown step "${text}"; steps are ${names.join(', ')}`, nearestHint(word || text, names));
  }
  const args = inner === undefined || inner === '' ? [] : withComma(splitOutside(inner, ',').map(unquote));
  const [least, most] = rule.takes;
  if (args.length < least || args.length > most) {
    const count = least === most ? `${least}` : `${least} to ${most}`;
    throw usage(`${source}: the step "${word}" takes ${count} arguments, got ${args.length}`);
  }
  if (word === 'split' && args[1] !== undefined && !/^[1-9]\d*$/.test(args[1].trim())) {
    throw usage(`${source}: the second argument of "split" is the number of a part, got "${args[1]}"`);
  }
  if (['strip', 'replace', 'split', 'prefix', 'empty'].includes(word) && args[0] === '') {
    throw usage(`${source}: the first argument of "${word}" is empty`);
  }
  return { name: word, args, change: rule.change };
}

/** A first argument that is a comma: `split(,)` and `replace(,,.)`. */
function withComma(args: string[]): string[] {
  return args[0] === '' && args[1] === '' ? [',', ...args.slice(2)] : args;
}

function hasScheme(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(text);
}

/** Splits at separators outside of brackets and quotes. */
export function splitOutside(text: string, separator: string): string[] {
  const parts = [''];
  let depth = 0;
  let quote: string | undefined;
  for (const letter of text) {
    if (quote !== undefined) quote = letter === quote ? undefined : quote;
    else if (letter === '"') quote = letter;
    else if (letter === '(') depth += 1;
    else if (letter === ')') depth -= 1;
    if (letter === separator && depth <= 0 && quote === undefined) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts;
}

function unquote(text: string): string {
  const [, inner] = /^\s*"([\s\S]*)"\s*$/.exec(text) ?? [];
  return inner ?? text;
}
