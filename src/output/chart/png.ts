/** A picture as PNG, without a browser or fonts of the machine. The only importer of the rasteriser. */
import { Buffer } from 'node:buffer';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';

/** Pixels for each unit of the picture: sharp on paper and on fine screens. */
const density = 2;
const fontFile = 'Roboto-Regular.woff';

let started: Promise<unknown> | undefined;

export async function pngOf(svg: string): Promise<Uint8Array> {
  const { initWasm, Resvg } = await import('@resvg/resvg-wasm');
  const { resolve } = createRequire(import.meta.url);
  started ??= readFile(resolve('@resvg/resvg-wasm/index_bg.wasm')).then((code) => initWasm(code));
  await started;
  // The build copies the font beside this code.
  const copied = join(import.meta.dirname, fontFile);
  const font = await readFile(existsSync(copied) ? copied : resolve(`roboto-fontface/fonts/roboto/${fontFile}`));
  const picture = new Resvg(svg, {
    fitTo: { mode: 'zoom', value: density },
    font: { fontBuffers: [openType(font)], defaultFontFamily: 'Roboto', sansSerifFamily: 'Roboto' },
  });
  try {
    return picture.render().asPng();
  } finally {
    picture.free();
  }
}

/** The letters that the font does not have; they are left out of the picture. */
export function lettersWithoutFont(text: string): string[] {
  return [
    ...new Set(
      text.match(
        /[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{M}]|\p{Emoji_Presentation}/gu,
      ),
    ),
  ];
}

const tableEntry = 20;
const fileHead = 44;

/** WOFF holds the tables of an OpenType font, each compressed (W3C, WOFF File Format 1.0, section 4). */
function openType(woff: Buffer): Uint8Array {
  const count = woff.readUInt16BE(12);
  const tables = Array.from({ length: count }, (_, at) => {
    const entry = woff.subarray(fileHead + at * tableEntry, fileHead + (at + 1) * tableEntry);
    const [offset, packed, size] = [4, 8, 12].map((place) => entry.readUInt32BE(place)) as [number, number, number];
    const held = woff.subarray(offset, offset + packed);
    const data = packed < size ? inflateSync(held) : held;
    return { tag: entry.subarray(0, 4), sum: entry.subarray(16, 20), data };
  });
  const power = 2 ** Math.floor(Math.log2(count));
  const head = Buffer.alloc(12 + 16 * count);
  woff.copy(head, 0, 4, 8);
  for (const [at, value] of [count, power * 16, Math.log2(power), (count - power) * 16].entries()) {
    head.writeUInt16BE(value, 4 + at * 2);
  }
  let offset = head.length;
  const bodies = tables.map(({ tag, sum, data }, at) => {
    const offsetOfEntry = 12 + at * 16;
    tag.copy(head, offsetOfEntry);
    sum.copy(head, offsetOfEntry + 4);
    head.writeUInt32BE(offset, offsetOfEntry + 8);
    head.writeUInt32BE(data.length, offsetOfEntry + 12);
    // Each table begins at a multiple of four.
    const body = Buffer.concat([data, Buffer.alloc((4 - (data.length % 4)) % 4)]);
    offset += body.length;
    return body;
  });
  return Buffer.concat([head, ...bodies]);
}
