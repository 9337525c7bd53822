/** Bytes of a file to text: by its byte order mark, as UTF-8, or as the code page that Windows writes where it is not. */
import { usage } from './errors.ts';

export interface Decoded {
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
    return { text: decodeAs(bytes, name, 'windows-1252'), assumed: 'windows-1252' };
  }
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
