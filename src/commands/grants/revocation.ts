/** Revoking grants: each answer read as what it means for the grant, several on their way at once, in order. */
import type { Client } from '../../client/client.ts';
import { operations } from '../../contract/index.ts';
import type { MetricGrant } from '../../contract/metrics.ts';
import { limiter } from '../../core/concurrency.ts';
import { allFailed, Failure } from '../../core/errors.ts';
import { isEnded, isRevoked } from '../../domain/grants/grants.ts';
import type { RevokeRow } from './columns.ts';
import type { ChosenGrant } from './plan.ts';

const { revokeGrant, listGrants } = operations;

/** Few enough that no server takes it for an attack. */
const inFlight = 4;

export interface Revoked {
  row: RevokeRow;
  failure?: Failure;
}

/** What the PATCH came to: done, or what only the list can tell. */
type Sent = { row: RevokeRow } | { ask: Failure };

/**
 * Revokes every grant, whether or not somebody reads the results to their end. Results come in the order given. An
 * answer that ends the command (an interrupt) stops what has not been sent. The list of grants is read twice at most:
 * once after the first answer that needs it, and once when everything was sent, for grants that were not over by then.
 */
export function revokeAll(client: Client, grants: readonly ChosenGrant[]): Promise<Revoked>[] {
  const slot = limiter(inFlight);
  let ended: unknown;
  const sent = grants.map((chosen): Promise<Sent> => {
    const { id, grant, skipped } = chosen;
    if (skipped !== undefined) return Promise.resolve({ row: { ...empty(id), outcome: 'skipped', error: skipped } });
    if (!isToSend(chosen)) {
      return Promise.resolve({ row: { ...empty(id), outcome: 'unchanged', revoked_at: grant?.revoked_at ?? null } });
    }
    return slot(async () => {
      if (ended !== undefined) throw ended;
      try {
        return await sendOne(client, id);
      } catch (error) {
        ended ??= error;
        throw error;
      }
    });
  });
  const all = Promise.allSettled(sent);
  const early = lazy(() => readGrants(client));
  const late = lazy(async () => {
    await all;
    return readGrants(client);
  });
  const results = grants.map(async ({ id }, index): Promise<Revoked> => {
    const result = (await sent[index]) as Sent;
    if ('row' in result) return result;
    if (!listTells(result.ask)) return failed(id, result.ask);
    return told(id, result.ask, await tell(id, early, late));
  });
  for (const result of results) result.catch(() => undefined);
  return results;
}

/** What is known to be revoked is not sent, and what was named and not chosen neither. */
export function isToSend({ grant, skipped }: ChosenGrant): boolean {
  return skipped === undefined && !(grant && isRevoked(grant));
}

async function sendOne(client: Client, id: string): Promise<Sent> {
  try {
    const grant = await client.call(revokeGrant, { params: { id } });
    if (grant && isEnded(grant)) {
      return { row: { ...empty(id), outcome: 'revoked', revoked_at: grant.revoked_at ?? null } };
    }
    // The server took it, and its answer does not say that the grant is revoked.
    return {
      ask: new Failure('rejected', `the server answered the revocation of ${id}, but the grant is still active`),
    };
  } catch (error) {
    if (!(error instanceof Failure) || endsAll(error)) throw error;
    return { ask: error };
  }
}

/** Failures that are not about the one grant: an interrupt, a bug, and what was wrong before anything was sent. */
function endsAll({ kind, status }: Failure): boolean {
  return (
    kind === 'interrupted' || kind === 'bug' || kind === 'usage' || (kind === 'credential' && status === undefined)
  );
}

type Grants = ReadonlyMap<string, MetricGrant>;

/** What the list says of a grant: itself, absent, or unknown where the list could not be read. */
async function tell(
  id: string,
  early: () => Promise<Grants>,
  late: () => Promise<Grants>,
): Promise<MetricGrant | 'absent' | 'unknown'> {
  try {
    const key = id.toLowerCase();
    // What has ended stays ended, and an id that never was does not come to be.
    const first = (await early()).get(key);
    if (!first) return 'absent';
    return isEnded(first) ? first : ((await late()).get(key) ?? 'absent');
  } catch {
    return 'unknown';
  }
}

/** After any 4xx but 401 and 403 the list says what became of the grant. */
function listTells({ status, kind }: Failure): boolean {
  if (status === undefined) return kind === 'rejected';
  return status >= 400 && status < 500 && status !== 401 && status !== 403 && status !== 429;
}

function told(id: string, failure: Failure, found: MetricGrant | 'absent' | 'unknown'): Revoked {
  const { status, request } = failure;
  if (found === 'unknown') return failed(id, failure);
  if (found === 'absent') {
    const hint = '`comem grants list` shows them';
    return failed(id, new Failure('notFound', `the company has no grant ${id}`, { hint, status, request }));
  }
  if (!isEnded(found)) return failed(id, failure);
  const outcome = status === undefined ? 'revoked' : 'unchanged';
  return { row: { ...empty(id), outcome, revoked_at: found.revoked_at ?? null } };
}

function failed(id: string, failure: Failure): Revoked {
  return { row: { ...empty(id), outcome: 'failed', error: failure.message }, failure };
}

function empty(id: string) {
  return { id, revoked_at: null, error: null };
}

async function readGrants(client: Client): Promise<Grants> {
  const grants = await client.call(listGrants);
  return new Map(grants.map((grant) => [grant.id?.toLowerCase() ?? '', grant]));
}

function lazy<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** What to throw once the rows have been printed; undefined when every grant is revoked. */
export function revokeVerdict(results: readonly Revoked[]): Failure | undefined {
  const failures = results.flatMap(({ failure }) => failure ?? []);
  const [first] = failures;
  if (!first || results.length === 1) return first;
  const counts = `${failures.length} of ${results.length} grants could not be revoked`;
  const details = results.flatMap(({ row }) => (row.outcome === 'failed' ? [{ id: row.id, error: row.error }] : []));
  if (failures.length < results.length) {
    return new Failure('partial', counts, { details, hint: 'the rows with outcome "failed" say why' });
  }
  return allFailed(failures, counts, { details, hint: first.hint });
}
