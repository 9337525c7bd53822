/** Texts that repeat, as numbers. */
import { insertRows, type MirrorDb, type MirrorTables, type NameKind, query } from './tables.ts';

/** More shapes than this in one mirror are not worth a name. */
const maxShapes = 2000;

type Name = MirrorTables['mirror_names'];

/** The names of a mirror, read once. */
export class Names {
  private readonly numbers = new Map<string, number>();
  private readonly texts = new Map<number, { kind: NameKind; text: string }>();
  private shapes = 0;
  private last = 0;
  private fresh: Name[] = [];

  static async read(db: MirrorDb): Promise<Names> {
    const names = new Names();
    for (const row of await query<Name>(db, 'select * from mirror_names')) names.keep(row);
    return names;
  }

  /** The number of a text; one without a number gets the next, which `save` writes. */
  of(kind: NameKind, text: string): number {
    const known = this.find(kind, text);
    if (known !== undefined) return known;
    const row = { number: this.last + 1, kind, text };
    this.keep(row);
    this.fresh.push(row);
    return row.number;
  }

  find(kind: NameKind, text: string): number | undefined {
    return this.numbers.get(`${kind} ${text}`);
  }

  text(number: number): string {
    return this.texts.get(number)?.text ?? '';
  }

  all(kind: NameKind): { number: number; text: string }[] {
    return [...this.texts].flatMap(([number, name]) => (name.kind === kind ? [{ number, text: name.text }] : []));
  }

  /** Whether a shape has a name, or may get one. */
  takesShape(shape: string): boolean {
    return this.shapes < maxShapes || this.find('shape', shape) !== undefined;
  }

  /** Writes the new ones. */
  async save(db: MirrorDb): Promise<void> {
    const values = this.fresh.splice(0).flatMap(({ number, kind, text }) => [number, kind, text]);
    await insertRows(db, 'mirror_names', {}, ['number', 'kind', 'text'], values);
  }

  private keep({ number, kind, text }: Name): void {
    this.numbers.set(`${kind} ${text}`, number);
    this.texts.set(number, { kind, text });
    this.last = Math.max(this.last, number);
    if (kind === 'shape') this.shapes += 1;
  }
}
