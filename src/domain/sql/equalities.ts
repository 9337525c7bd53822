/** Which columns a compiled statement compares with which texts: SQLite says it in the program of `explain`. */

/** A row of `explain`. */
export type Instruction = readonly [address: number, code: string, p1: number, p2: number, p3: number, p4: unknown];

/** A text, or the place of the parameter that has it: 1 for the first. */
type Text = { text: string } | { parameter: number };

/** A column of a stored table, compared with a text by `=`, `<>`, `is`, `in` or `case`. */
export type Equality = Text & {
  /** The page of the file where the table begins, by which SQLite calls it. */
  root: number;
  /** The place of the column in the table. */
  column: number;
};

type Held = { root: number; column: number } | undefined;

/** Instructions that change no register that holds a column. */
const keeping: ReadonlySet<string> = new Set(['Affinity', 'IsNull', 'NotNull']);

/**
 * What is not sure is left out: a register counts as a column only until another instruction could change it.
 * @param program the rows of `explain`
 */
export function equalities(program: readonly Instruction[]): Equality[] {
  const tables = new Map<number, number>();
  const columns = new Map<number, Held>();
  const found: Equality[] = [];
  // The constants of a statement have registers of their own, filled where the program begins: at its end.
  const start = program.find(([, code]) => code === 'Init')?.[3] ?? program.length;
  const constants = new Map<number, Text>();
  for (const one of program.slice(start)) setText(constants, one);
  const texts = new Map<number, Text>();
  const records = new Map<number, Text>();
  const sets = new Map<number, Text[]>();
  const add = (column: Held, others: readonly (Text | undefined)[]) => {
    for (const text of others) if (column && text) found.push({ ...column, ...text });
  };
  for (const instruction of program.slice(0, start)) {
    const [, code, p1, p2, p3] = instruction;
    if (code === 'OpenRead') tables.set(p1, p2);
    else if (code === 'Eq' || code === 'Ne') {
      add(columns.get(p1), [constants.get(p3)]);
      add(columns.get(p3), [constants.get(p1)]);
    } else if (code === 'Found' || code === 'NotFound') add(columns.get(p3), sets.get(p1) ?? []);
    else if (code === 'Column') {
      const root = tables.get(p1);
      columns.set(p3, root === undefined ? undefined : { root, column: p2 });
    } else if (!keeping.has(code)) {
      for (const register of [p1, p2, p3]) columns.delete(register);
    }
    // A list of several texts is a table of its own, filled one by one.
    if (setText(texts, instruction)) continue;
    const [text, record] = [texts.get(p1), records.get(p2)];
    if (code === 'MakeRecord' && text && p2 === 1) records.set(p3, text);
    if (code === 'IdxInsert' && record) sets.set(p1, [...(sets.get(p1) ?? []), record]);
  }
  return found;
}

function setText(texts: Map<number, Text>, [, code, p1, register, , p4]: Instruction): boolean {
  if (code === 'Variable') texts.set(register, { parameter: p1 });
  else if (code === 'String8' && typeof p4 === 'string') texts.set(register, { text: p4 });
  else if (code === 'String8') texts.delete(register);
  else return false;
  return true;
}
