/** Hashes of what is current, by place (`mirror_prints`). */
import { createHash } from 'node:crypto';
import type { Statements } from './statements.ts';
import type { MirrorDb } from './tables.ts';

/** As many bits as make two different texts of one print impossible in practice. */
const printLength = 22;

export function printOf(text: string): string {
  return createHash('sha256').update(text).digest('base64').slice(0, printLength);
}

/** The prints of one list. */
export class Prints {
  constructor(
    private readonly parts: { db: MirrorDb; statements: Statements },
    private readonly name: number,
  ) {}

  /** Those of the places after `from` up to `to`. */
  async read(from: number, to: number): Promise<Map<number, string>> {
    const { db, statements } = this.parts;
    const rows = await statements.run<{ place: number; print: string }>(
      'prints',
      () =>
        db
          .selectFrom('mirror_prints')
          .select(['place', 'print'])
          .where('name', '=', this.name)
          .where('place', '>', from)
          .where('place', '<=', to),
      [this.name, from, to],
    );
    return new Map(rows.map(({ place, print }) => [place, print]));
  }

  /** Removes the old ones and writes the new ones. */
  async replace(old: Iterable<number>, prints: ReadonlyMap<number, string>): Promise<void> {
    const { db, statements } = this.parts;
    for (const index of old) {
      await statements.run(
        'remove print',
        () => db.deleteFrom('mirror_prints').where('name', '=', this.name).where('place', '=', index),
        [this.name, index],
      );
    }
    const rows = [...prints].flat();
    await statements.insert('mirror_prints', { name: this.name }, ['place', 'print'], rows);
  }
}
