/** Runs of the journal as rows, and the run that `undo` reverts. */
import type { Context } from '../../cli/context.ts';
import { asTyped } from '../../cli/runtime.ts';
import { timeText } from '../../cli/words.ts';
import { type RecordedWrite, type Run, readRuns } from '../../config/history.ts';
import type { Settings } from '../../config/settings.ts';
import { Failure, listSome, usage } from '../../core/errors.ts';
import {
  currentIds,
  isCreation,
  isOpen,
  kindOf,
  nameOf,
  objectOf,
  partialText,
  summaryOf,
  whyNot,
} from '../../domain/undo.ts';
import type { Column } from '../../output/column.ts';

export type RunRow = ReturnType<typeof runRow>;

export const runColumns: Column<RunRow>[] = [
  { key: 'number', heading: 'N', type: 'integer', get: (row) => row.number },
  { key: 'at', heading: 'At', type: 'datetime', dates: 'minute', get: (row) => row.at },
  { key: 'command', heading: 'Command', whole: true, get: (row) => row.command },
  { key: 'changed', heading: 'Changed', whole: true, get: (row) => row.changed },
  { key: 'list', heading: 'List', get: (row) => row.list },
  { key: 'title', heading: 'Title', spare: true, hasIds: true, get: (row) => row.title },
  { key: 'undo', heading: 'Undo', get: (row) => row.undo },
  { key: 'why', heading: 'Why not', wraps: true, get: (row) => row.why },
  { key: 'company', heading: 'Company', type: 'id', get: (row) => row.company, hidden: true },
  { key: 'base_url', heading: 'Base URL', get: (row) => row.base_url, hidden: true },
];

/** For expressions over runs. */
export const runRules = { undo: ['yes', 'partly', 'no', 'undone'] } as const;

export type WriteRow = ReturnType<typeof writeRow>;

export const writeColumns: Column<WriteRow>[] = [
  { key: 'write', heading: 'Write', type: 'integer', get: (row) => row.write },
  { key: 'what', heading: 'What', get: (row) => row.what },
  { key: 'request', heading: 'Request', get: (row) => row.request, hidden: true },
  { key: 'outcome', heading: 'Outcome', get: (row) => row.outcome },
  { key: 'why', heading: 'Why not', get: (row) => row.why },
  { key: 'sent', heading: 'Sent', type: 'json', get: (row) => row.sent as object | null },
  { key: 'before', heading: 'Before', type: 'json', get: (row) => row.before as object | null },
];

/** For expressions over the writes of a run. */
export const writeRules = { outcome: ['done', 'unchanged', 'failed', 'unknown', 'undone', 'partly'] } as const;

export const runsOf = (ctx: Context): Run[] => readRuns(ctx.folders, ctx.settings.profile.value);

/** Old ids, in lower case, to the current ones. */
export function idsOf(runs: readonly Run[]): Map<string, string> {
  return currentIds(runs.toReversed().flatMap(({ ids }) => ids));
}

/** A run as a row; its title is the subject of the first write, and its list as it was typed. */
export function runRow(run: Run, settings: Pick<Settings, 'profile'>) {
  const { number, at, command, list = writtenList(run), undoes, company = null, baseUrl } = run;
  const open = run.writes.filter(isOpen);
  const reasons = open.flatMap((write) => whyOf(write, settings) ?? []);
  const begun = open.some(({ halfway }) => halfway);
  const undone = open.length === 0 && run.writes.some((write) => write.undone);
  const idle = run.writes.every(({ outcome }) => outcome === 'failed') ? 'every request failed' : 'nothing was changed';
  const [first = open.length === 0 && !undone ? idle : null] = reasons;
  const some = reasons.length < open.length;
  const undo = undone ? 'undone' : begun ? 'partly' : !some ? 'no' : reasons.length > 0 ? 'partly' : 'yes';
  const subject = run.writes.length > 0 ? listSome(run.writes.map(nameOf), 1) : null;
  const title = undoes === undefined ? subject : `run ${undoes}: ${subject}`;
  return {
    number,
    at,
    command,
    list,
    title,
    changed: summaryOf(run.writes),
    undo,
    why: first,
    company,
    base_url: baseUrl,
  };
}

/** The name of the first list that a run created, changed or deleted itself. */
function writtenList({ writes }: Run): string | null {
  const write = writes.find((each) => kindOf(each) === 'list');
  const { list, name } = objectOf(write && isCreation(write) ? write.body : write?.before);
  const text = name ?? objectOf(list).name;
  return typeof text === 'string' ? text : null;
}

/** One write of a run; `before` is the state that it replaced. */
export function writeRow(write: RecordedWrite, settings: Pick<Settings, 'profile'>) {
  const { n, method, path, body = null, before = null, outcome = 'unknown' } = write;
  return {
    write: n,
    what: nameOf(write),
    request: `${method} ${path}`,
    outcome: write.undone ? 'undone' : write.halfway ? 'partly' : outcome,
    why: isOpen(write) ? (whyOf(write, settings) ?? null) : null,
    sent: body,
    before,
  };
}

/** Why the undo of a write is incomplete or impossible. */
function whyOf(write: RecordedWrite, settings: Pick<Settings, 'profile'>): string | undefined {
  return write.halfway ? partialText(write.halfway) : whyNotUndone(write, settings);
}

/** The run of that number. @throws usage when the text is not a number, notFound for an unknown run */
export function runOf(ctx: Context, text: string): Run {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw usage(`N must be a number from \`comem history\`, got "${text}"`);
  const run = runsOf(ctx).find(({ number }) => number === Number(text));
  if (run) return run;
  throw new Failure('notFound', `the journal of profile "${ctx.settings.profile.value}" has no run ${text}`, {
    hint: '`comem history` shows them',
  });
}

/** The newest run that was not reverted; one before the newest needs a confirmation. @throws notFound, usage */
export function latestRun(ctx: Context): Run {
  const all = runsOf(ctx);
  const runs = all.filter(({ command }) => command !== 'undo');
  const [newest] = runs;
  const run = runs.find(({ writes }) => writes.some(isOpen));
  if (!newest || !run) {
    throw new Failure('notFound', `the journal of profile "${ctx.settings.profile.value}" has nothing to undo`, {
      hint: '`comem history` shows what was written with this profile',
    });
  }
  if (run === newest) return run;
  const { input, yes, dryRun } = ctx.settings;
  const why = newest.writes.some(({ undone }) => undone) ? 'was undone already' : 'changed nothing';
  const says = `the newest run ${newest.number} (${newest.command}) ${why}`;
  if (!dryRun && (yes || !input)) {
    const undo = all.find(({ command, writes }) => command === 'undo' && writes.some(isOpen));
    const redo = undo && undo.number > newest.number ? `\`comem undo ${undo.number}\` to do it again, or ` : '';
    throw usage(says, `run ${redo}\`comem undo ${run.number}\` to revert ${run.command} of ${timeText(run.at)}`);
  }
  ctx.out.note(`${says}; this is about run ${run.number}.`.replace(/^t/, 'T'));
  return run;
}

/** Why a write cannot be undone, with the command that creates a grant like one that was revoked. */
export function whyNotUndone(write: RecordedWrite, settings: Pick<Settings, 'profile'>): string | undefined {
  const why = whyNot(write);
  const again = write.op === 'revokeGrant' ? grantAgain(write.before) : undefined;
  return again === undefined ? why : `${why}; to create a grant like it: ${asTyped(settings, again)}`;
}

function grantAgain(grant: unknown): string | undefined {
  const { recipient_company_id, recipient_user_id, metric_ids, include_historical, expires_at, note } = objectOf(grant);
  if (!recipient_company_id && !recipient_user_id) return undefined;
  const ids = Array.isArray(metric_ids) ? metric_ids : [];
  const flags = [
    recipient_company_id && `--recipient ${recipient_company_id}`,
    recipient_user_id && `--recipient-user ${recipient_user_id}`,
    ids.length > 0 ? `-m ${ids.join(',')}` : '--all',
    include_historical === true && '--historical',
    expires_at && `--expires ${expires_at}`,
    typeof note === 'string' && note !== '' && `--note '${note.replaceAll("'", "'\\''")}'`,
  ];
  return `comem grants create ${flags.filter(Boolean).join(' ')}`;
}
