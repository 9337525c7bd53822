/** `--changed-since`: a time, or `last`, the previous run of the same command. */
import { createHash } from 'node:crypto';
import { type Mark, readMark, writeMark } from '../config/marks.ts';
import { Failure, usage } from '../core/errors.ts';
import { stringifyJson } from '../core/json.ts';
import { needed, rowName } from '../core/needed.ts';
import { isObject } from '../core/objects.ts';
import { readInstant } from '../core/periods.ts';
import { checkTree } from '../domain/expression/check.ts';
import { evaluate } from '../domain/expression/evaluate.ts';
import { type Node, parse } from '../domain/expression/parser.ts';
import { instant } from '../domain/expression/time.ts';
import type { Scope } from '../domain/expression/typed.ts';
import type { Context } from './context.ts';

/** Which rows have changed, and what to remember of them once all of them were given. */
export interface Since<Row> {
  /** The server has answered: its clock is known. */
  settleTime(): void;
  holds(row: Row): boolean;
  /** A row that is given. */
  saw(row: Row): void;
  /** The output is complete. */
  finished(): void;
}

/** A write that was not visible yet when the rows were read is at most this old. */
const overlapMs = 10_000;
/** More rows than this, changed within seconds, are given again by the next run. */
const mostSeen = 20_000;

/**
 * @param command what makes runs the same command: words, arguments and flags that select rows
 * @throws usage for what is not a time, and where rows do not say when they changed
 */
export function changedSince<Row>(ctx: Context, when: string, scope: Scope<Row>, command: unknown[]): Since<Row> {
  const source = { text: when, where: '--changed-since' };
  const name = scope.column('updated_at') ? 'updated_at' : 'updatedAt';
  const column = scope.column(name);
  if (!column) throw usage('--changed-since: these rows do not say when they changed');
  const timeOf = (row: Row): number => {
    const text = needed(column.get(row), name, rowName('row', isObject(row) ? row.id : undefined));
    const time = typeof text === 'string' ? instant(text)?.start : undefined;
    if (time !== undefined) return time;
    throw new Failure('rejected', `${name} is ${JSON.stringify(text)}, which cannot be read as a time`);
  };
  if (when.trim() === 'last') return sinceLast(ctx, timeOf, command);
  const given = parse(when.trim() === 'yesterday' ? 'today - 1d' : when, source.where);
  const now: Node = { kind: 'name', at: 0, name: 'now', quoted: false };
  const right: Node =
    given.kind === 'duration' ? { kind: 'arithmetic', at: 0, operator: '-', left: now, right: given } : given;
  const left: Node = { kind: 'name', at: 0, name, quoted: false };
  const hint = 'give a date, a duration or last, such as 2024-01-31, yesterday, 12h, 7d or "today - 1mo"';
  const check = () => checkTree({ kind: 'compare', at: 0, operator: '>=', left, right }, scope, source);
  let { root } = checked(check, hint);
  if (root.kind !== 'order' || root.right.kind !== 'constant') {
    throw usage(`--changed-since takes a date, a duration or last, got "${when}"`, hint);
  }
  return {
    holds(row) {
      timeOf(row);
      return evaluate(root, row) === true;
    },
    settleTime() {
      ({ root } = check());
    },
    saw() {},
    finished() {},
  };
}

/** What names no column is meant as a time. */
function checked<T>(check: () => T, hint: string): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof Failure ? error.with({ hint }) : error;
  }
}

function sinceLast<Row>(ctx: Context, timeOf: (row: Row) => number, command: unknown[]): Since<Row> {
  const { settings, folders, out, runtime } = ctx;
  const { baseUrl, companies, profile } = settings;
  const words = JSON.stringify([...command, baseUrl.value, companies.value]);
  const key = createHash('sha256').update(words).digest('hex').slice(0, 32);
  const mark: Mark | undefined = readMark(folders, profile.value, key);
  const before = new Set(mark?.seen.map(([, print]) => print));
  const from = (mark && readInstant(mark.at)) ?? Number.NEGATIVE_INFINITY;
  const start = runtime.now().getTime();
  const recent: Mark['seen'] = [];
  out.note(
    mark
      ? `Changes since ${mark.at}. What was deleted cannot be seen.`
      : 'All rows: there was no complete run of this command before.',
  );
  return {
    holds: (row) => {
      const time = timeOf(row);
      return time >= from && !(before.size > 0 && before.has(fingerprint(row)));
    },
    settleTime() {},
    saw(row) {
      const time = timeOf(row);
      if (time >= start - dayMs && recent.length <= mostSeen) recent.push([time, fingerprint(row)]);
    },
    finished() {
      // By the server's clock, which is known once it has answered.
      const begun = start + (ctx.now().getTime() - runtime.now().getTime()) - overlapMs;
      const at = Math.max(begun, from);
      const seen = [...(mark?.seen ?? []), ...recent].filter(([time]) => time >= at);
      const next = { command: words, at: new Date(at).toISOString(), seen: seen.length > mostSeen ? [] : seen };
      writeMark(folders, profile.value, key, next);
    },
  };
}

const dayMs = 86_400_000;

/** The row as it is: one that changes again has another one. */
function fingerprint(row: unknown): string {
  return createHash('sha256').update(stringifyJson(row)).digest('base64url').slice(0, 22);
}
