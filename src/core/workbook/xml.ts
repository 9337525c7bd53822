/** XML as it comes. The only file that knows the XML reader. */
import { TextDecoder } from 'node:util';
import { SaxesParser } from 'saxes';
import { Failure } from '../errors.ts';
import { damaged } from './zip.ts';

/** Names come without their prefix. */
export interface XmlEvents {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  close?(name: string): void;
  text?(text: string): void;
}

/** Bytes without a mark between them are one text, which nobody writes this long. */
const longestText = 1 << 24;

/**
 * Reads the bytes; `each` is called after every piece, so that what was found can be given on.
 * @throws usage for what is not XML, and for a document type, which can make a short file long
 */
export async function* readXml<T>(
  pieces: AsyncIterable<Uint8Array>,
  { open, close, text }: XmlEvents,
  { name, part, taken }: { name: string; part: string; taken(): Iterable<T> },
): AsyncGenerator<T> {
  const parser = new SaxesParser({ position: false, xmlns: false });
  const wrong = (why: string) => damaged(name, `${part} ${why}`);
  parser.on('opentag', (tag) => open(bare(tag.name), tag.attributes));
  if (close) parser.on('closetag', (tag) => close(bare(tag.name)));
  if (text) {
    parser.on('text', text);
    parser.on('cdata', text);
  }
  parser.on('doctype', () => {
    throw wrong('has a document type, which a workbook does not have');
  });
  parser.on('error', () => {
    throw wrong('is not well-formed XML');
  });
  let decoder: TextDecoder | undefined;
  let unmarked = 0;
  try {
    for await (const piece of pieces) {
      decoder ??= decoderFor(piece);
      const chunk = decoder.decode(piece, { stream: true });
      unmarked = chunk.includes('<') ? 0 : unmarked + chunk.length;
      if (unmarked > longestText) throw wrong('has a text that is too long');
      parser.write(chunk);
      yield* taken();
    }
    parser.write((decoder ?? decoderFor(new Uint8Array())).decode());
    parser.close();
  } catch (error) {
    if (error instanceof Failure || !(error instanceof TypeError)) throw error;
    throw wrong('is not text in its encoding');
  }
  yield* taken();
}

function decoderFor([a, b]: Uint8Array): TextDecoder {
  const encoding = a === 0xff && b === 0xfe ? 'utf-16le' : a === 0xfe && b === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding, { fatal: true });
}

function bare(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** The attribute of a name without regard to its prefix: `r:id` of `id`. */
export function attributeOf(attributes: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.entries(attributes).find(([key]) => key.endsWith(`:${name}`))?.[1];
}
