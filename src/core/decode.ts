/** Bytes of a file to text: by its byte order mark, as UTF-8, or as the code page that Windows writes where it is not. */
import { usage } from './errors.ts';

interface Decoded {
  text: string;
  /** Set when the bytes are not UTF-8 and nobody said what they are. */
  assumed?: string;
}

/** @throws usage for a file that is not text, or whose bytes are not of the encoding that was named */
export function decodeText(bytes: Uint8Array, name: string, encoding?: string): Decoded {
  if (encoding !== undefined) return { text: decodeAs(bytes, name, encoding) };
  const [a, b, c] = bytes;
  if (a === 0xff && b === 0xfe) return { text: decodeAs(bytes, name, 'utf-16le') };
  if (a === 0xfe && b === 0xff) return { text: decodeAs(bytes, name, 'utf-16be') };
  if (a === 0x50 && b === 0x4b && c === 0x03) {
    throw usage(`${name} is a workbook or another zip file, not text`, 'save it as CSV in UTF-8');
  }
  if (bytes.includes(0)) throw usage(`${name} holds binary data, not text`, 'save it as CSV in UTF-8');
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    const line = strayLine(bytes);
    if (line !== undefined) {
      throw usage(
        `${name}, line ${line}: not UTF-8, and other text of the file is`,
        'repair the bytes of the line, or name the encoding of the whole file, such as --encoding windows-1252',
      );
    }
    return { text: decodeAs(bytes, name, 'windows-1252'), assumed: 'windows-1252' };
  }
}

/**
 * The first line that is not UTF-8 in a file that holds letters of UTF-8 elsewhere; undefined where it holds none. Two
 * bytes that happen to be a letter of UTF-8 are rare in other encodings.
 */
function strayLine(bytes: Uint8Array): number | undefined {
  const lenient = new TextDecoder('utf-8').decode(bytes);
  if (!/[^\p{ASCII}\uFFFD]/u.test(lenient)) return undefined;
  const strict = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.subarray(start).findIndex((byte) => byte === 10 || byte === 13);
    const end = found < 0 ? bytes.length : start + found;
    try {
      strict.decode(bytes.subarray(start, end));
    } catch {
      return line;
    }
    start = bytes[end] === 13 && bytes[end + 1] === 10 ? end + 2 : end + 1;
    line += 1;
  }
  return line;
}

function decodeAs(bytes: Uint8Array, name: string, encoding: string): string {
  if (/^(windows-1252|cp1252|latin-?1|iso-8859-1)$/i.test(encoding)) return windows1252(bytes);
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof RangeError) {
      throw usage(`--encoding ${encoding} is not known`, 'it takes utf-8, latin1, windows-1252, utf-16le and the like');
    }
    throw usage(`${name} is not ${encoding} text`, 'name the encoding that it has with --encoding, or leave it out');
  }
}

/** The characters at 0x80 to 0x9f, where ISO 8859-1 has control characters; a dot where nothing does. */
const windowsOnly = '€.‚ƒ„…†‡ˆ‰Š‹Œ.Ž..‘’“”•–—˜™š›œ.žŸ';

/** By hand: some releases of Node take the name for ISO 8859-1. */
function windows1252(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('latin1')
    .replace(/[\u0080-\u009f]/g, (control) => {
      const letter = windowsOnly[control.charCodeAt(0) - 0x80];
      return letter === undefined || letter === '.' ? control : letter;
    });
}
