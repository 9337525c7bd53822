/** A seed as text, piece by piece: the same text as of the whole seed, for databases of any size. */
import { usage } from '../../core/errors.ts';
import { stringifyJson } from '../../core/json.ts';
import { mostYamlCharacters } from '../../core/limits.ts';
import { writeYaml } from '../../core/yaml-text.ts';
import type { Db } from '../store/schema.ts';
import { dumpPieces } from './dump.ts';
import type { SeedPiece } from './dump-names.ts';

/** How a format writes what is around pieces; `part` is the text of items without the lines around them. */
interface Frame {
  text(value: unknown): string;
  open: string;
  close: string;
  /** Between two parts, and between items. */
  comma: string;
  /** Lines before and after the items in the text of `{ part: items }`. */
  part: readonly [before: number, after: number];
  /** The same in the text of `{ lists: [{ entries: items }] }`. */
  entries: readonly [before: number, after: number];
  partOpen(name: string): string;
  partClose: string;
  entriesOpen: string;
  entriesClose: string;
  noEntries: string;
  /** Ends an item that was left open for its entries. */
  itemClose: string;
  nothing: string;
}

const json: Frame = {
  text: (value) => stringifyJson(value, 2),
  ...{ open: '{\n', close: '\n}\n', comma: ',\n', nothing: '{}\n' },
  ...{ part: [2, 2], entries: [4, 4] },
  ...{ partOpen: (name) => `  ${JSON.stringify(name)}: [\n`, partClose: '\n  ]' },
  ...{ entriesOpen: ',\n      "entries": [\n', entriesClose: '\n      ]', noEntries: ',\n      "entries": []' },
  itemClose: '\n    }',
};

const yaml: Frame = {
  // Its last character is the end of the last line.
  text: (value) => writeYaml(value).slice(0, -1),
  ...{ open: '', close: '\n', comma: '\n', nothing: '{}\n' },
  ...{ part: [1, 0], entries: [2, 0] },
  ...{ partOpen: (name) => `${name}:\n`, partClose: '' },
  ...{ entriesOpen: '\n    entries:\n', entriesClose: '', noEntries: '\n    entries: []', itemClose: '' },
};

/** @throws Failure usage for YAML that would be too long to be loaded */
export async function* dumpText(db: Db, format: 'json' | 'yaml'): AsyncGenerator<string> {
  let length = 0;
  for await (const text of textPieces(db, format)) {
    length += text.length;
    if (format === 'yaml' && length > mostYamlCharacters) {
      const limit = `more than the ${mostYamlCharacters} characters of YAML that \`comem server load\` reads`;
      throw usage(`the seed has ${limit}`, 'run `comem server dump -o json`, which has no limit');
    }
    yield text;
  }
}

async function* textPieces(db: Db, format: 'json' | 'yaml'): AsyncGenerator<string> {
  const frame = format === 'json' ? json : yaml;
  /** The part that is open, and the entries of its last list. */
  let part: string | undefined;
  let list: 'closed' | 'empty' | 'filled' = 'closed';
  const ended = () => {
    if (list === 'closed') return '';
    const entries = list === 'empty' ? frame.noEntries : frame.entriesClose;
    list = 'closed';
    return `${entries}${frame.itemClose}`;
  };
  for await (const piece of dumpPieces(db)) {
    if (piece.part === 'clock') {
      yield `${frame.open}${lines(frame, { clock: piece.value }, format === 'json' ? [1, 1] : [0, 0])}`;
      part = 'clock';
      continue;
    }
    if (piece.items.length === 0) continue;
    if (piece.part === 'entries') {
      yield list === 'empty' ? frame.entriesOpen : frame.comma;
      list = 'filled';
      yield lines(frame, { lists: [{ entries: piece.items }] }, frame.entries);
      continue;
    }
    const before = ended();
    if (part === piece.part) yield `${before}${frame.comma}`;
    else {
      const closed = part === undefined ? frame.open : `${part === 'clock' ? '' : frame.partClose}${frame.comma}`;
      yield `${before}${closed}${frame.partOpen(piece.part)}`;
    }
    part = piece.part;
    yield itemsOf(frame, piece, format);
    if (piece.part === 'lists') list = 'empty';
  }
  const last = ended();
  yield part === undefined ? frame.nothing : `${last}${part === 'clock' ? '' : frame.partClose}${frame.close}`;
}

/** A list stays open: its entries follow. */
function itemsOf(frame: Frame, { part, items }: Exclude<SeedPiece, { part: 'clock' }>, format: string) {
  const text = lines(frame, { [part]: items }, frame.part);
  return part === 'lists' && format === 'json' ? text.slice(0, -frame.itemClose.length) : text;
}

function lines({ text }: Frame, value: unknown, [before, after]: readonly [number, number]): string {
  let written = text(value);
  for (let line = 0; line < before; line += 1) written = written.slice(written.indexOf('\n') + 1);
  for (let line = 0; line < after; line += 1) written = written.slice(0, written.lastIndexOf('\n'));
  return written;
}
