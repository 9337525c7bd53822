/** The encoding of a text file: its byte order mark, UTF-8, or Windows-1252. */
import { isUtf8 } from 'node:buffer';
import { Failure, usage } from './errors.ts';
import { maxLineCharacters } from './limits.ts';

type OpenBytes = () => Iterable<Uint8Array>;

interface Encoding {
  encoding: string;
  /** The bytes are not UTF-8, and no encoding was given. */
  isAssumed: boolean;
}

/** The encoding of the bytes. @throws usage for a file that is not text */
export function encodingOf(open: OpenBytes, name: string, encoding?: string): Encoding {
  if (encoding !== undefined) return { encoding, isAssumed: false };
  const [[a, b, c] = []] = open();
  if (a === 0xff && b === 0xfe) return { encoding: 'utf-16le', isAssumed: false };
  if (a === 0xfe && b === 0xff) return { encoding: 'utf-16be', isAssumed: false };
  if (a === 0x50 && b === 0x4b && c === 0x03) {
    throw usage(`${name} is a workbook or another zip file, not text`, 'save it as CSV in UTF-8');
  }
  const strict = new TextDecoder('utf-8', { fatal: true });
  let isUtf8 = true;
  let [zeros, all] = [0, 0];
  for (const bytes of open()) {
    all += bytes.length;
    for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) zeros += 1;
    try {
      if (isUtf8) strict.decode(bytes, { stream: true });
    } catch {
      isUtf8 = false;
    }
  }
  isUtf8 = isUtf8 && isWhole(strict);
  // A text may hold a NUL; in UTF-16 without a mark every other byte is one.
  if (zeros > 0 && (!isUtf8 || zeros * 4 > all)) {
    throw usage(`${name} holds binary data, not text`, 'save it as CSV in UTF-8');
  }
  if (isUtf8) return { encoding: 'utf-8', isAssumed: false };
  const line = strayLine(open);
  if (line === undefined) return { encoding: 'windows-1252', isAssumed: true };
  throw new Failure('usage', `${name}, line ${line}: not UTF-8, and other text of the file is`, {
    code: 'mixed_encodings',
  });
}

/** Decodes bytes as a stream. @throws usage for bytes that are not of the encoding */
export function* decode(pieces: Iterable<Uint8Array>, name: string, encoding: string): Generator<string> {
  if (/^(windows-1252|cp1252|latin-?1|iso-8859-1)$/i.test(encoding)) {
    for (const bytes of pieces) yield windows1252(bytes);
    return;
  }
  try {
    const decoder = new TextDecoder(encoding, { fatal: true });
    for (const bytes of pieces) yield decoder.decode(bytes, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (error instanceof RangeError) {
      throw usage(
        `the encoding ${encoding} is not known`,
        'known are utf-8, latin1, windows-1252, utf-16le and the like',
      );
    }
    if (!(error instanceof TypeError)) throw error;
    throw new Failure('usage', `${name} is not ${encoding} text`, { code: 'other_encoding' });
  }
}

function isWhole(strict: InstanceType<typeof TextDecoder>): boolean {
  try {
    strict.decode();
    return true;
  } catch {
    return false;
  }
}

/**
 * The first line that is not UTF-8 in a file that holds letters of UTF-8 elsewhere; undefined where it holds none. Two
 * bytes that happen to be a letter of UTF-8 are rare in other encodings.
 */
function strayLine(open: OpenBytes): number | undefined {
  const lenient = new TextDecoder('utf-8');
  let holdsOther = false;
  for (const bytes of open()) holdsOther ||= /[^\p{ASCII}\uFFFD]/u.test(lenient.decode(bytes, { stream: true }));
  if (!holdsOther) return undefined;
  let line = 1;
  let rest = Buffer.alloc(0);
  for (const bytes of open()) {
    rest = Buffer.concat([rest, bytes]);
    for (let end = rest.indexOf(lineFeed); end >= 0; end = rest.indexOf(lineFeed)) {
      if (!isUtf8(rest.subarray(0, end))) return line;
      rest = rest.subarray(end + 1);
      line += 1;
    }
    if (rest.length > maxLineCharacters) break;
  }
  return line;
}

const lineFeed = 0x0a;

/** The characters at 0x80 to 0x9f, where ISO 8859-1 has control characters; a dot where nothing does. */
const windowsOnly = '€.‚ƒ„…†‡ˆ‰Š‹Œ.Ž..‘’“”•–—˜™š›œ.žŸ';

/** Decoded by hand: some releases of Node decode windows-1252 as ISO 8859-1. */
function windows1252(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('latin1')
    .replace(/[\u0080-\u009f]/g, (control) => {
      const letter = windowsOnly[control.charCodeAt(0) - 0x80];
      return letter === undefined || letter === '.' ? control : letter;
    });
}
