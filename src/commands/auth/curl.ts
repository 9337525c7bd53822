/** A "Copy as cURL" line of a browser's developer tools, in bash and in cmd quoting: the cookie and the address in it. */
import { urlOf } from '../../core/addresses.ts';
import { usage } from '../../core/errors.ts';

interface CurlLine {
  /** The value of the Cookie header. */
  cookie: string;
  /** Scheme, host and port of the address, where there is one. */
  origin: string | undefined;
}

/** Options of curl whose next word is theirs, so that it is not taken for the address. */
const takesValue = new Set(
  (
    '-X --request -d --data --data-raw --data-binary --data-urlencode --data-ascii --json -A --user-agent -e --referer -u --user ' +
    '-o --output -x --proxy -F --form -T --upload-file -m --max-time --connect-timeout -w --write-out --resolve --cacert -E --cert --key'
  ).split(' '),
);

/** @throws usage when the text is not a curl command, or has no cookie */
export function readCurl(text: string): CurlLine {
  const [command = '', ...words] = isCmd(text) ? cmdWords(text) : bashWords(text);
  if (!/^curl(\.exe)?$/i.test(command)) {
    throw usage(
      'this is not a "Copy as cURL" line: it does not start with curl',
      'in the browser open developer tools, Network, a request to /api/, Copy, Copy as cURL',
    );
  }
  const cookies: string[] = [];
  let address: string | undefined;
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const { name, glued } = splitOption(word);
    const value = () => glued ?? words.shift() ?? '';
    if (name === '-H' || name === '--header') {
      const header = /^cookie\s*:\s*(.*)$/is.exec(value().trim());
      if (header?.[1]) cookies.push(header[1].trim());
    } else if (name === '-b' || name === '--cookie') {
      const given = value().trim();
      // Without `=` curl takes it for the name of a file of cookies.
      if (given.includes('=')) cookies.push(given);
    } else if (name === '--url') address ??= value();
    else if (takesValue.has(name)) value();
    else if (/^https?:\/\//i.test(name)) address ??= word;
  }
  const cookie = cookies.join('; ').replace(/;\s*(?=;|$)/g, '');
  if (cookie === '') {
    throw usage(
      'the curl line has no cookie (neither -b nor a cookie header)',
      'copy a request to /api/ while you are signed in; some browsers omit cookies by default',
    );
  }
  return { cookie, origin: address === undefined ? undefined : urlOf(address)?.origin };
}

/** `--header=x` and `-Hx` carry their value in the same word. */
function splitOption(word: string): { name: string; glued: string | undefined } {
  const match = /^(--[a-z-]+)=(.*)$/s.exec(word) ?? /^(-[HbXdAeuoxFTmwE])(.+)$/s.exec(word);
  const [, name = word, glued] = match ?? [];
  return { name, glued };
}

/** cmd escapes with carets: before quotes, and at the end of each line. */
function isCmd(text: string): boolean {
  return /\^["\r\n]/.test(text) && !/(^|\s)\$?'/.test(text);
}

function cmdWords(text: string): string[] {
  // First cmd takes the carets away, then curl's own start-up code splits at quotes.
  const plain = text.replace(/\^(\r?\n|[\s\S]|$)/g, (_, next: string) => (next.endsWith('\n') ? '' : next));
  const words: string[] = [];
  let word: string | undefined;
  let quoted = false;
  for (let at = 0; at < plain.length; at += 1) {
    const char = plain.charAt(at);
    const next = plain.charAt(at + 1);
    if (char === '\\' && (next === '"' || next === '\\')) {
      word = (word ?? '') + next;
      at += 1;
    } else if (char === '"' && quoted && next === '"') {
      word = `${word ?? ''}"`;
      at += 1;
    } else if (char === '"') {
      quoted = !quoted;
      word ??= '';
    } else if (!quoted && /\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  return word === undefined ? words : [...words, word];
}

const bashToken =
  /\\\r?\n|\$'((?:[^'\\]|\\[\s\S])*)'|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|(\s+)|([^\s'"\\$]+|[$'"\\])/g;

function bashWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [, ansi, single, double, escaped, space, bare] of text.matchAll(bashToken)) {
    if (space !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    const quoted = ansi === undefined ? double?.replace(/\\(\r?\n|[$`"\\])/g, (_, c) => c.trim()) : unescapeAnsi(ansi);
    const plain = quoted ?? single ?? escaped ?? bare;
    if (plain !== undefined) word = (word ?? '') + plain;
  }
  return word === undefined ? words : [...words, word];
}

const ansiNames: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  v: '\v',
};

/** bash's `$'…'`. */
function unescapeAnsi(text: string): string {
  return text.replace(
    /\\(?:x([\da-f]{1,2})|u([\da-f]{1,4})|U([\da-f]{1,8})|([0-7]{1,3})|([\s\S]))/gi,
    (_, hex, short, long, octal, char: string) => {
      const code = hex ?? short ?? long;
      if (code !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
      return ansiNames[char] ?? char;
    },
  );
}
