/** Checks which global flags apply to a command. */
import type { GlobalFlags } from '../config/global-flags.ts';
import type { Settings } from '../config/settings.ts';
import { usage } from '../core/errors.ts';
import { fileExtensions, formatOfFile } from '../core/output-formats.ts';
import { type AnyCommand, type Flag, type Flags, globalsBeside, longName } from './define.ts';

/** Global flags that do nothing for this command are refused: a script must not believe that they worked. */
export function checkApplies(command: AnyCommand, settings: Settings): void {
  if (settings.dryRun && !command.writes) {
    throw usage(`--dry-run is for commands that write, and \`comem ${command.path}\` writes nothing to the API`);
  }
  checkPast(command, settings);
  const shape = settings.jq ? '--jq' : settings.fields ? '--fields' : settings.out ? '--out' : undefined;
  if (shape && command.stdout === 'nothing' && !settings.dryRun) {
    throw usage(`${shape} is for commands that print a result, and \`comem ${command.path}\` prints none`, 'omit it');
  }
  checkFile(command, settings);
  if (settings.limit !== undefined && command.writes && !command.callsAny && command.stdout !== 'nothing') {
    throw usage(
      '--limit would cut what is printed and not what is written',
      command.stdout === 'rows'
        ? `select the rows first: a list command with --limit N -o id, piped into \`comem ${command.path} … -\``
        : 'omit it',
    );
  }
  const { value: format, origin, from } = settings.output;
  const source = origin === 'flag' ? `-o ${format}` : `${format} (${from})`;
  const hasRows = command.stdout === 'rows' || command.stdout === 'object';
  if (format === 'spark' && hasRows && !command.hasSpark) {
    throw usage(
      `${source} draws rows of periods with numbers, and \`comem ${command.path}\` prints none`,
      'use another -o',
    );
  }
  if (format === 'id' && command.withoutIds) {
    throw usage(`${source} prints ids, and the rows of \`comem ${command.path}\` have none`, 'use another -o');
  }
}

/** Formats that no other format of rows can be mistaken for. */
const binary: ReadonlySet<string | undefined> = new Set(['xlsx', 'parquet']);

/** The extension of a file says its format, so that nobody gets text in a workbook. */
function checkFile({ stdout, files = [] }: AnyCommand, { out, output, raw }: Settings): void {
  // A device or a pipe of the shell has no name to go by.
  if (out === undefined || out === '-' || out.startsWith('/dev/') || raw) return;
  const field = /\{(?:company|date|profile)\}/.exec(out)?.[0];
  if (field)
    throw usage(`--out ${out}: ${field} is not replaced`, 'let the shell write it: $(date +%F), a loop over -c');
  const extension = /\.([a-z]\w*)$/i.exec(out)?.[1]?.toLowerCase() ?? '';
  if (files.includes(extension)) return;
  const named = formatOfFile(`.${extension}`);
  if (output.from === '--output' && named !== output.value && (binary.has(named) || binary.has(output.value))) {
    throw usage(`-o ${output.value} cannot be written to --out ${out}`, 'omit -o, or name a file of that format');
  }
  if (named !== undefined || output.origin === 'flag' || (stdout === 'text' && files.length === 0)) return;
  // The environment says the format of a file without an extension, too.
  if (stdout === 'nothing' || (extension === '' && output.value !== undefined)) return;
  // A command that draws has rows, too.
  const hasRows = stdout !== 'text' || files.includes('svg');
  const written = [...files, ...(hasRows ? fileExtensions : [])].map((each) => `.${each}`);
  throw usage(
    extension === ''
      ? `cannot write --out ${out}: without an extension the file has no format`
      : `cannot write --out ${out}: comem does not write .${extension} files here`,
    extension === 'pdf' && files.includes('html')
      ? 'write .html, and print the page to PDF in a browser'
      : `the extensions are ${written.join(', ')}${hasRows ? '; with -o FORMAT the file may have any name' : ''}`,
  );
}

/** A group of one company is that company. `from` names what they come from where it is not the number of `-c`. */
export function checkCompanies({ manyCompanies, path }: AnyCommand, count: number, from?: string): void {
  if (manyCompanies || count <= 1) return;
  if (from === undefined) throw usage(`-c was given ${count} times, but \`comem ${path}\` acts on one company`);
  throw usage(`${from} names ${count} companies, but \`comem ${path}\` acts on one`, 'name one with -c');
}

/** Whether a mirror answers instead of the API. The mirror of the environment or profile changes nothing by itself. */
export function isOfPast(command: AnyCommand, { asOf, offline, mirror }: PastFlags): boolean {
  return asOf !== undefined || offline === true || (mirror !== undefined && !command.mirrors);
}

type PastFlags = Pick<GlobalFlags, 'asOf' | 'offline' | 'mirror'>;

/** Whether the state of another time can answer. */
export function readsData({ operations, writes, mayRead, isLiveOnly: ofNow, mirrors }: AnyCommand): boolean {
  if (writes) return mayRead === true;
  return !ofNow && !mirrors && operations.length > 0;
}

function checkPast(command: AnyCommand, { asOf, offline, mirror }: Settings): void {
  const isOnlyMirror = mirror.origin === 'flag' && !command.mirrors;
  const flag = asOf !== undefined ? '--as-of' : offline ? '--offline' : isOnlyMirror ? '--mirror' : undefined;
  if (flag === undefined || readsData(command)) return;
  const does = command.writes ? 'writes to the API' : 'does not read what a mirror holds';
  throw usage(`${flag} is for commands that only read, and \`comem ${command.path}\` ${does}`, 'omit it');
}

const ofWrites = new Set(['dryRun', 'keepUndo', 'yes', 'confirm']);
const ofOutput = new Set('output json fields jq out noHeader scale noTruncate excel limit failEmpty raw'.split(' '));
/** A picture is no table: `-o csv` still takes these. */
const ofTables = new Set('noHeader noTruncate excel scale limit failEmpty fields'.split(' '));
const ofPast = new Set(['asOf', 'offline', 'mirror']);
const ofRequests = new Set('company timeout retries maxResponse allowHttp pageSize raw'.split(' '));

/** The global flags that change something for a command, which help and completion name. */
export function usefulGlobals(command: AnyCommand): Flags {
  const { flags, writes, confirmsLocally, stdout, operations, callsAny } = command;
  const isLocal = operations.length === 0 && !callsAny;
  const isUseful = (key: string) =>
    (writes || !ofWrites.has(key) || (confirmsLocally === true && key === 'yes')) &&
    (stdout !== 'nothing' || !ofOutput.has(key)) &&
    (stdout !== 'text' || !ofTables.has(key)) &&
    !(isLocal && ofRequests.has(key)) &&
    !(key === 'limit' && writes && !callsAny) &&
    (readsData(command) || !ofPast.has(key));
  return Object.fromEntries(
    Object.entries(globalsBeside(flags)).filter(([key, { hidden }]) => !hidden && isUseful(key)),
  );
}

/** The most flags and examples on a short page of help. */
export const shortFlags = 12;
export const shortExamples = 3;

/**
 * The flags of a short page: those that are required, those of its examples and sentence, then others as they are
 * defined, without those that need one that is left out; at the end the global ones that its examples spell out.
 */
export function firstFlags(command: AnyCommand, most = shortFlags): Flags {
  const { flags, examples, description } = command;
  const lines = examples.slice(0, shortExamples).map(({ run }) => run);
  const words = wordsOf([...lines, firstSentence(description ?? '')].join(' '));
  const all = Object.entries<Flag>(flags).filter(([, { hidden }]) => !hidden);
  const isUsed = ([key, { short, required }]: [string, Flag]) =>
    required || words.has(longName(key)) || words.has(`-${short}`);
  const globals = Object.entries<Flag>(usefulGlobals(command)).filter(([key]) => words.has(longName(key)));
  const used = all.filter(isUsed);
  const chosen = [...new Set([...used, ...all])].slice(0, Math.max(most - globals.length, used.length));
  const others = all.filter((entry) => !chosen.includes(entry)).map(([key]) => longName(key));
  const isWhole = ([, { summary }]: [string, Flag]) => !others.some((name) => wordsOf(summary).has(name));
  const first = all.filter((entry) => chosen.includes(entry) && (used.includes(entry) || isWhole(entry)));
  return Object.fromEntries([...first, ...globals]);
}

/** The global flags that the examples of a short page write as a letter: `-p`, `-c`, `-o`. */
export function letterGlobals(command: AnyCommand): Flags {
  const words = wordsOf(
    command.examples
      .slice(0, shortExamples)
      .map(({ run }) => run)
      .join(' '),
  );
  return Object.fromEntries(
    Object.entries<Flag>(usefulGlobals(command)).filter(([, { short }]) => short && words.has(`-${short}`)),
  );
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(/[\s=,;:()]+/));

/** The sentence of a short page. */
export const firstSentence = (description: string): string => description.split(/(?<=\.)\s/, 1)[0] ?? '';
