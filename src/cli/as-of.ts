/** `--as-of` and `--offline`: the state of another time, from a mirror, in the place of the API. */
import type { Credentials } from '../client/credentials.ts';
import type { Connection } from '../client/network.ts';
import type { Settings } from '../config/settings.ts';
import type { Paths } from '../config/store.ts';
import { usage } from '../core/errors.ts';
import { readInstant } from '../core/periods.ts';
import type { Sync } from '../domain/history/versions.ts';
import { momentOf, syncAt } from '../domain/history/when.ts';
import { openMirror } from '../mirror/open.ts';
import type { Output } from '../output/output.ts';
import type { PastState, Runtime } from './context.ts';
import { requireMirror } from './past.ts';
import { distance } from './words.ts';

export interface Past extends PastState {
  connection: Connection;
  /** Sent to the mirror, which asks for none: a client sends no request without. */
  credentials: Credentials;
  /** The ids of those that the mirror held. */
  companies: readonly string[];
}

interface PastParts {
  settings: Settings;
  runtime: Pick<Runtime, 'cwd' | 'env'>;
  folders: Paths;
  now(): Date;
  out: Output;
}

/** Every reader of the mirror may read all of it. */
const credentials: Credentials = { key: { secret: 'mirror' }, session: { secret: 'mirror=owner' } };

/** @throws usage without a mirror or with one of another API; notFound before its first sync */
export async function openAsOf({ settings, runtime, folders, now, out }: PastParts): Promise<Past> {
  const { asOf, baseUrl } = settings;
  const moment = asOf === undefined ? undefined : new Date(momentOf(asOf, now, 'last', '--as-of'));
  const address = await requireMirror({ settings, runtime, folders });
  const mirror = await openMirror(address);
  try {
    if (mirror.api !== undefined && baseUrl.value !== undefined && mirror.api !== baseUrl.value) {
      throw usage(
        `the mirror in ${address} is of ${mirror.api}, not of ${baseUrl.value} (${baseUrl.from})`,
        'name the profile of that API with -p, or another mirror with --mirror',
      );
    }
    const syncs = await mirror.syncs();
    const sync = syncAt(syncs, moment?.getTime() ?? Number.POSITIVE_INFINITY, `--as-of ${asOf}`);
    const seenAt = new Date(timeOf(sync.seenAt));
    const at = clockOf(moment, seenAt, runtime.env.COMEM_NOW ? now() : undefined, now());
    out.note(momentNote(moment, sync, syncs, now()));
    const { transport, companies, names } = await mirror.at(sync, at, (text) => out.warn(text));
    return {
      now: at,
      seenAt,
      names,
      companies: companies.map(({ id }) => id),
      credentials,
      connection: { send: transport, close: mirror.close },
    };
  } catch (error) {
    await mirror.close();
    throw error;
  }
}

/** An answer goes by the clock of its own time: that of `--as-of`, which is never later than now, else of the sync. */
function clockOf(moment: Date | undefined, seenAt: Date, fixed: Date | undefined, now: Date): Date {
  if (moment === undefined) return fixed ?? seenAt;
  return moment.getTime() > now.getTime() ? now : moment;
}

function momentNote(moment: Date | undefined, { number, seenAt }: Sync, syncs: readonly Sync[], now: Date): string {
  const at = new Date(timeOf(seenAt));
  const age = distance(at, now);
  const isNewest = number === syncs.at(-1)?.number;
  return moment !== undefined && isNewest && moment.getTime() > timeOf(seenAt)
    ? `As of the newest sync, ${seenAt} (${age}): what changed since is not known.`
    : `As of the sync of ${seenAt} (${age}).`;
}

function timeOf(seenAt: string): number {
  return readInstant(seenAt) ?? Number.NEGATIVE_INFINITY;
}
