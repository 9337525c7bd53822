/** `changes`: from its words to its rows. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { type Past, requireMirror, withPast } from '../../cli/past.ts';
import { type RowFlags, showRows } from '../../cli/query.ts';
import { amount } from '../../cli/words.ts';
import { Failure, usage } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import { type Change, type ChangeKind, changeKinds } from '../../domain/history/changes.ts';
import { listOf } from '../../domain/history/find.ts';
import type { History } from '../../domain/history/versions.ts';
import { metricIds } from '../metrics/read.ts';
import { withLive } from '../mirror/read.ts';
import { type ChangeRow, changeColumns, changeRules, shortField } from './columns.ts';
import { exportChanges, pastChanges, readsOf, seenBy, spanOf, spanSince } from './read.ts';

interface Flags extends RowFlags {
  since?: string;
  between?: string[];
  live?: boolean;
  seenBy?: string;
  metrics?: string[];
  exitCode?: boolean;
  mirror?: string;
}

const subjects: Readonly<Record<string, readonly ChangeKind[]>> = {
  entries: ['entry'],
  metrics: ['metric', 'value'],
  grants: ['grant'],
  lists: ['list', 'attribute'],
  published: ['published'],
};

interface Question {
  kinds: readonly ChangeKind[];
  list: string | undefined;
  between: readonly [a: string, b: string] | undefined;
}

export async function showChanges(ctx: Context, words: readonly string[], flags: Flags): Promise<void> {
  const { since, between, live, seenBy: reader, metrics, exitCode, mirror, ...rowFlags } = flags;
  const question = questionOf(words, between);
  if ([since, question.between, live || undefined].filter((option) => option !== undefined).length > 1) {
    throw usage('--since, --between and --live cannot be used together', 'give one of them');
  }
  if (!(await ctx.out.check(changeColumns))) return;
  const recipient = reader === undefined ? undefined : ctx.companyOf(reader, '--seen-by');
  const ids = metricIds(metrics);
  const kinds = recipient !== undefined ? (['value'] as const) : question.kinds;
  const changes = await readAll(ctx, { ...question, kinds, since, live, recipient, metrics: ids, mirror });
  const rows = changes.map((change): ChangeRow => {
    const { point: _, company, field, ...rest } = change;
    return { ...rest, field: shortField(field), company: ctx.companyName(company) ?? company, companyId: company };
  });
  await showRows(ctx, async () => rows, changeColumns, {
    flags: rowFlags,
    command: ['changes', words, between, recipient, ids, flags.where],
    rules: { kind: changeKinds, ...changeRules },
    name: ({ kind, what, field }) => [kind, what, field].filter(Boolean).join(' '),
    empty: 'No changes.',
    counts: ['change', 'changes'],
  });
  if (!exitCode || rows.length === 0) return;
  throw new Failure('no', `${amount(rows.length, 'change was', 'changes were')} found`, { code: 'different' });
}

interface Request extends Question {
  since: string | undefined;
  live: boolean | undefined;
  recipient: string | undefined;
  metrics: readonly string[] | undefined;
  mirror: string | undefined;
}

async function readAll(ctx: Context, request: Request): Promise<Change[]> {
  const { kinds, list: target, between, since, live, recipient, metrics, mirror } = request;
  const isFile = (text: string) => text === '-' || existsSync(resolve(ctx.runtime.cwd, text));
  if (between?.some(isFile)) return exportChanges(ctx, between, kinds);
  const companies = ctx.settings.companies.value.length > 0 ? ctx.settings.companies.value : [ctx.requireCompany()];
  const choose = async (history: History) => ({
    ...{ kinds, companies, metrics },
    list: target === undefined ? undefined : (await listOf(history, companies[0] ?? '', target)).id,
  });
  const readable = async (history: History, changes: Change[]) =>
    recipient === undefined ? changes : seenBy(history, ctx.requireCompany(), recipient, changes);
  if (live) {
    const { result, verdict } = await withLive(ctx, await requireMirror(ctx, mirror), async (history, lastAt) => {
      const request = { ...(await choose(history)), span: { after: lastAt } };
      return readable(history, await pastChanges(ctx, { history, reads: readsOf(history) }, request));
    });
    if (verdict) ctx.out.warn(verdict.message);
    return result;
  }
  const read = async (past: Past) => {
    const { span, says } = between ? spanOf(past, ...between) : { span: spanSince(past, since ?? '30d'), says: '' };
    if (says !== '') ctx.out.note(says);
    return readable(past.history, await pastChanges(ctx, past, { ...(await choose(past.history)), span }));
  };
  return withPast(ctx, read, mirror);
}

/**
 * WHAT, and the second state of `--between A B`, which stands among the words.
 * @throws usage
 */
function questionOf(words: readonly string[], between: readonly string[] | undefined): Question {
  const rest = [...words];
  const states = [...(between ?? [])];
  const isSubject = (word: string | undefined) => word !== undefined && Object.hasOwn(subjects, word);
  if (states.length === 1) {
    const b = isSubject(rest[0]) ? (rest.length > 1 ? rest.pop() : undefined) : rest.shift();
    if (b === undefined) throw usage('--between needs two states, A and B', 'for all since A use --since');
    states.push(b);
  }
  const [a, b, ...more] = states;
  if (more.length > 0) throw usage('--between compares two states', 'give A and B');
  const [subject, list, ...others] = rest;
  if (subject !== undefined && !isSubject(subject)) {
    const near = nearest(subject, Object.keys(subjects));
    throw usage(`WHAT is ${Object.keys(subjects).join(', ')}, got "${subject}"`, near && `did you mean ${near}?`);
  }
  if (others.length > 0 || (list !== undefined && subject !== 'entries')) {
    throw usage(`"${others[0] ?? list}" is one word too many`, 'only `entries` takes a list');
  }
  const kinds = subject === undefined ? changeKinds : (subjects[subject] ?? []);
  return { kinds, list, between: a === undefined || b === undefined ? undefined : [a, b] };
}
