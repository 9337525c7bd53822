/** One statement from its text to its rows. */
import type { Context } from '../../cli/context.ts';
import { usage } from '../../core/errors.ts';
import type { Output } from '../../output/output.ts';
import type { Parameters } from './parameters.ts';
import type { SqlSession } from './session.ts';

/** Undefined: nothing was given, and a person can type it. */
export async function statementText(
  ctx: Context,
  argument: string | undefined,
  file: string | undefined,
): Promise<string | undefined> {
  if (argument !== undefined && file !== undefined) {
    throw usage('the statement is given twice, as STATEMENT and with --file', 'omit one of them');
  }
  if (file !== undefined) return ctx.readArgument(file === '-' ? '-' : `@${file}`);
  if (argument !== undefined) return ctx.readArgument(/^[^@\s]\S*\.sql$/i.test(argument) ? `@${argument}` : argument);
  const { stdinIsTTY, stderrIsTTY } = ctx.runtime.terminal;
  if (!stdinIsTTY) return ctx.readStdin();
  if (ctx.settings.input && stderrIsTTY) return undefined;
  throw usage('STATEMENT is missing', "try `comem sql 'select 1'`, or `comem sql --tables`");
}

export async function runStatement(
  ctx: Context,
  session: SqlSession,
  text: string,
  parameters: Parameters,
): Promise<void> {
  try {
    await showStatement(ctx.out, session, text, parameters);
  } finally {
    session.end();
  }
}

/** Prints the rows of a statement. */
export async function showStatement(
  out: Output,
  session: SqlSession,
  text: string,
  parameters?: Parameters,
): Promise<void> {
  const { columns, rows } = await session.query(text, parameters);
  const id = columns.find(({ key }) => key.toLowerCase() === 'id');
  await out.rows(rows, columns, {
    json: (row) => Object.fromEntries(columns.map(({ key, get }) => [key, get(row) ?? null])),
    id: (row) => {
      if (!id) throw usage('-o id prints ids, and the result has no column "id"', 'select id, or use another -o');
      return String(id.get(row));
    },
  });
}
