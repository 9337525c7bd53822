/** A "Copy as cURL" line of a browser's developer tools, in bash and in cmd quoting: the cookie and the address in it. */
import { urlOf } from '../../core/addresses.ts';
import { usage } from '../../core/errors.ts';

interface CurlLine {
  /** The value of the Cookie header. */
  cookie: string;
  /** Scheme, host and port of the address, where there is one. */
  origin: string | undefined;
}

/** @throws usage when the text is not a curl command, or has no cookie */
export function readCurl(text: string): CurlLine {
  const [command = '', ...words] = wordsOf(isCmd(text) ? withoutCarets(text) : text);
  if (!/^curl(\.exe)?$/i.test(command)) {
    throw usage(
      'this is not a "Copy as cURL" line: it does not start with curl',
      'in the browser open developer tools, Network, a request to /api/, Copy, Copy as cURL',
    );
  }
  const cookies = words.flatMap((word, at) => {
    if (word === '-H' || word === '--header')
      return /^cookie\s*:\s*(.+)$/is.exec(words[at + 1]?.trim() ?? '')?.[1] ?? [];
    // Without `=` curl takes it for the name of a file of cookies.
    return (word === '-b' || word === '--cookie') && words[at + 1]?.includes('=') ? (words[at + 1]?.trim() ?? []) : [];
  });
  // A browser writes the address first.
  const address = words.find((word) => /^https?:\/\//i.test(word));
  const cookie = cookies.join('; ').replace(/;\s*(?=;|$)/g, '');
  if (cookie === '') {
    throw usage(
      'the curl line has no cookie (neither -b nor a cookie header)',
      'copy a request to /api/ while you are signed in; some browsers omit cookies by default',
    );
  }
  return { cookie, origin: address === undefined ? undefined : urlOf(address)?.origin };
}

/** cmd escapes with carets: before quotes, and at the end of each line. */
function isCmd(text: string): boolean {
  return /\^["\r\n]/.test(text) && !/(^|\s)\$?'/.test(text);
}

/** Then curl's own start-up code splits at quotes, as bash does at double ones. */
function withoutCarets(text: string): string {
  return text.replace(/\^(\r?\n|[\s\S]|$)/g, (_, next: string) => (next.endsWith('\n') ? '' : next));
}

const bashToken =
  /\\\r?\n|\$'((?:[^'\\]|\\[\s\S])*)'|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|(\s+)|([^\s'"\\$]+|[$'"\\])/g;

function wordsOf(text: string): string[] {
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

/** bash's `$'…'`, as browsers write it: code points and single characters. */
function unescapeAnsi(text: string): string {
  return text.replace(/\\(?:x([\da-f]{2})|u([\da-f]{4})|([\s\S]))/gi, (_, hex, unicode, char: string) => {
    const code = hex ?? unicode;
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    return { n: '\n', t: '\t', r: '\r' }[char] ?? char;
  });
}
