/** The English of help, messages, documents and comments: plain words, and texts that fit their place. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'rolldown/utils';
import { beforeAll, describe, expect, test } from 'vitest';
import { helpTree } from '../src/cli/help-tree.ts';
import { tree } from '../src/main.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const inFolder = (folder: string, name: RegExp) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => name.test(path))
    .map((path) => join(folder, path));

const documents = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  ...inFolder('docs', /\.md$/),
  ...inFolder('man', /\.\d$/),
  ...inFolder('scripts', /\.md$/),
];
const sources = inFolder('src', /(?<!\.d)\.ts$/);
const tests = inFolder('test', /(?<!\.d)\.ts$/).filter((file) => !file.endsWith('english.test.ts'));

/** Words that a reader has to read twice, and what is written instead. */
const refused: readonly [RegExp, string][] = [
  [/\bmend(s|ed|ing)?\b/i, 'fix'],
  [/\b(anew|afresh)\b/i, 'again, re-create'],
  [/(?<!there |answer )\b(is|are) (no|none)\b(?! (longer|more)\b)/i, 'unknown X, not found, is not a'],
  [/\bwhere there (is|are) none\b/i, 'if none is given'],
  [/\b(is|are) (not )?to be\b/i, 'must be, cannot be'],
  [/\bto be had\b/i, 'cannot be read'],
  [
    /\bst(and|ood|ands|anding) (in|at|on|behind|before|beside|elsewhere|anywhere|alone|unchanged|there|after|under)\b/i,
    'is, appears, contains',
  ],
  [/\bwhat stands\b/i, 'is, appears, contains'],
  [/\b(take|takes|taken|took|taking|bring|brings|brought) back\b/i, 'revert'],
  [/\b(go|goes|going|went) on\b/i, 'resume, continue'],
  [/\btime is over\b/i, 'expired'],
  [/\b(is|are|was|were|been|be) told\b(?! apart)/i, 'published, given'],
  [/\b(to pass|passes|passed|passing) over\b/i, 'skip'],
  [/(?<!\bleaves? (?:\w+ ){0,3})(?<!\bleft )\balone\b/i, 'only'],
  [/\b(one|ones|page|period|run|row) (before|behind)(?= ?([.,;:)]|$))/i, 'the previous, the next'],
  [/\bknown again\b/i, 'matched by'],
  [/\b(is|are|was|were|not) whole\b/i, 'complete, incomplete'],
  [/\bin silence\b/i, 'silently'],
  [/\b(broken|broke) off\b/i, 'interrupted'],
  [/\b(at hand|for leave|without a word|of whatever|whatever became|known by its)\b/i, 'plain words'],
  [
    /\b(hitherto|thereof|therein|whereof|wherein|thereby|whence|thence|lest|upon|ere|nought|save for)\b/i,
    'modern words',
  ],
  [/\bone a line\b/i, 'one per line'],
];

/** `file: …the words around the match… (what to write)`. */
function oddities(file: string, texts: readonly string[]): string[] {
  return texts.flatMap((text) =>
    refused.flatMap(([words, instead]) => {
      const match = words.exec(text);
      return match ? [`${file}: ${text.slice(Math.max(match.index - 40, 0), match.index + 50)} (${instead})`] : [];
    }),
  );
}

const inOneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** A document in paragraphs, without code. */
function paragraphsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8').replace(/^ *```[\s\S]*?^ *```$/gm, '');
  return text.split(/\n\s*\n|^(?=[-|.])/m).map((part) => inOneLine(part.replaceAll('\\-', '-')));
}

/** The texts that a source file contains: string literals, templates (values as `…`) and comments. */
function textsOf(file: string): { literals: string[]; comments: string[] } {
  const { program, comments } = parseSync(file, readFileSync(join(root, file), 'utf8'));
  const literals: string[] = [];
  new Visitor({
    Literal({ value }) {
      if (typeof value === 'string') literals.push(value);
    },
    TemplateLiteral({ quasis }) {
      literals.push(quasis.map(({ value }) => value.cooked ?? '').join('…'));
    },
  }).visit(program);
  return {
    literals: literals.filter((text) => text.includes(' ')).map(inOneLine),
    comments: joined(comments).map((text) => inOneLine(text.replace(/\n\s*\* ?/g, ' '))),
  };
}

/** The names of tests, with values as `…`. */
function namesOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const calls = text.matchAll(/^ *(?:it|test|describe)\w*(?:\.\w+)?\((['"`])(.*?)\1,/gm);
  return [...calls].map(([, , name = '']) => name.replace(/\$\{[^}]*\}/g, '…'));
}

/** Line comments that follow each other are one text. */
function joined(comments: readonly { type: string; value: string; start: number; end: number }[]): string[] {
  const texts: string[] = [];
  let previous: { type: string; end: number } | undefined;
  for (const comment of comments) {
    const continues = comment.type === 'Line' && previous?.type === 'Line' && comment.start - previous.end < 40;
    if (continues) texts.push(`${texts.pop()}${comment.value}`);
    else texts.push(comment.value);
    previous = comment;
  }
  return texts;
}

describe('plain words', () => {
  test('are found where they are missing', () => {
    expect(oddities('a', ['the list is made anew'])).toHaveLength(1);
    expect(oddities('a', ['there is no flag for it', 'it is no longer there', 'options cannot be told apart'])).toEqual(
      [],
    );
    const { literals, comments } = textsOf('src/cli/guard.ts');
    expect(literals).toContain('profile "…" is read-only, and this command writes');
    expect(comments).toContain(
      '* What happens before a command writes: dry run, guard rails of the profile, confirmation.',
    );
  });

  test('make up the documents and man pages', () => {
    expect(documents.length).toBeGreaterThan(20);
    expect(documents.flatMap((file) => oddities(file, paragraphsOf(file)))).toEqual([]);
  });

  test('make up the names and comments of tests', () => {
    expect(namesOf('test/helpers/tools.ts')).toEqual([]);
    expect(namesOf('test/docs.test.ts').length).toBeGreaterThan(1);
    expect(tests.flatMap((file) => oddities(file, [...namesOf(file), ...textsOf(file).comments]))).toEqual([]);
  });

  test('make up help and messages', () => {
    expect(sources.flatMap((file) => oddities(file, textsOf(file).literals))).toEqual([]);
  });

  test('make up comments', () => {
    expect(sources.flatMap((file) => oddities(file, textsOf(file).comments))).toEqual([]);
  });
});

describe('help', () => {
  let help: Awaited<ReturnType<typeof helpTree>>;
  beforeAll(async () => {
    help = await helpTree(tree);
  });
  const commands = () => help.nouns.flatMap((noun) => noun.commands);
  const most = 60;
  const tooLong = (texts: readonly (readonly [string, string])[]) => texts.filter(([, text]) => text.length > most);

  /** The first words of summaries. */
  const verbs =
    `Add Archive Change Check Compare Copy Count Create Delete Draw Empty Find Forget Grant Import Install List Load
    Print Queue Read Remove Rename Revert Revoke Save Select Send Serve Show Unarchive Write`.split(/\s+/);

  test('has summaries that begin with a verb, of at most 60 characters, without a period', () => {
    const all = commands().map(({ path, summary }) => [path, summary] as const);
    expect(all.length).toBeGreaterThan(60);
    expect(tooLong(all)).toEqual([]);
    expect(all.filter(([, summary]) => summary.endsWith('.'))).toEqual([]);
    expect(all.filter(([, summary]) => !verbs.includes(summary.match(/^\w+/)?.[0] ?? ''))).toEqual([]);
    expect(help.nouns.filter(({ summary }) => summary.length > most || summary.endsWith('.'))).toEqual([]);
  });

  test('says a flag, an argument or an example in at most 60 characters, without a period', () => {
    const all = [
      ...help.globalFlags.map(({ name, summary }) => [name, summary] as const),
      ...commands().flatMap((command) => [
        ...command.flags.map(({ name, summary }) => [`${command.path} ${name}`, summary] as const),
        ...command.arguments.map(({ name, summary }) => [`${command.path} ${name}`, summary] as const),
        ...command.examples.map(({ run, says }) => [run, says] as const),
      ]),
    ];
    expect(tooLong(all)).toEqual([]);
    expect(all.filter(([, text]) => text.endsWith('.'))).toEqual([]);
  });

  test('describes a command in at most three short paragraphs; the man page has the rest', () => {
    const long = commands().filter(({ description = '' }) => {
      const paragraphs = description.split('\n\n');
      return paragraphs.length > 3 || paragraphs.some((text) => text.length > 500);
    });
    expect(long.map(({ path }) => path)).toEqual([]);
  });
});
