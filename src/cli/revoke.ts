/** Revoking grants: each answer read as what it means for the grant, several on their way at once, in order. */
import type { Client } from '../client/client.ts';
import { operations } from '../contract/index.ts';
import type { MetricGrant } from '../contract/metrics.ts';
import { isEnded } from '../domain/grants.ts';
import { Failure } from '../errors.ts';
import type { RevokeRow } from '../output/metric-columns.ts';

const { revokeGrant, listGrants } = operations;

/** Few enough that no server takes it for an attack. */
const inFlight = 4;

export interface Revoked {
  row: RevokeRow;
  failure?: Failure;
}

/**
 * Revokes every grant, whether or not somebody reads the results to their end. Results come in the order of the ids.
 * An answer that ends the command (an interrupt) stops what has not been sent.
 */
export function revokeAll(client: Client, ids: readonly string[]): Promise<Revoked>[] {
  const look = grantLookup(client);
  const slots: Promise<unknown>[] = [];
  return ids.map((id, index) => {
    const before = slots[index % inFlight] ?? Promise.resolve();
    const result = before.then(() => revokeOne(client, id, look));
    slots[index % inFlight] = result;
    result.catch(() => undefined);
    return result;
  });
}

async function revokeOne(client: Client, id: string, look: Look): Promise<Revoked> {
  try {
    const grant = await client.call(revokeGrant, { params: { id } });
    return { row: { id, outcome: 'revoked', revoked_at: grant?.revoked_at ?? null, error: null } };
  } catch (error) {
    if (!(error instanceof Failure) || endsAll(error)) throw error;
    return refused(id, error, look);
  }
}

/** Failures that are not about the one grant: an interrupt, a bug, and what was wrong before anything was sent. */
function endsAll({ kind, status }: Failure): boolean {
  return (
    kind === 'interrupted' || kind === 'bug' || kind === 'usage' || (kind === 'credential' && status === undefined)
  );
}

/** After any 4xx but 401 and 403 the list says what became of the grant (surface, section 4, "Rules"). */
async function refused(id: string, failure: Failure, look: Look): Promise<Revoked> {
  const { status } = failure;
  const tells = status !== undefined && status >= 400 && status < 500 && status !== 401 && status !== 403;
  if (!tells) return failed(id, failure);
  const found = await look(id).catch(() => 'unknown' as const);
  if (found === 'unknown') return failed(id, failure);
  if (!found) {
    return failed(
      id,
      new Failure('notFound', `the company has no grant ${id}`, {
        hint: '`comem grants list` shows them',
        status,
        request: failure.request,
      }),
    );
  }
  if (!isEnded(found)) return failed(id, failure);
  return { row: { id, outcome: 'unchanged', revoked_at: found.revoked_at ?? null, error: null } };
}

function failed(id: string, failure: Failure): Revoked {
  return { row: { id, outcome: 'failed', revoked_at: null, error: failure.message }, failure };
}

type Look = (id: string) => Promise<MetricGrant | undefined>;

/**
 * Finds a grant in the list. What has ended stays ended, so an earlier list answers for it; anything else is read anew,
 * in a list that was asked for after the question.
 */
function grantLookup(client: Client): Look {
  let ended = new Map<string, MetricGrant>();
  return async (id) => {
    const key = id.toLowerCase();
    const known = ended.get(key);
    if (known) return known;
    const grants = await client.call(listGrants);
    ended = new Map(grants.filter(isEnded).map((grant) => [grant.id?.toLowerCase() ?? '', grant]));
    return grants.find((grant) => grant.id?.toLowerCase() === key);
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
  const shared = failures.every(({ kind }) => kind === first.kind) ? first.kind : 'rejected';
  return new Failure(shared, `${counts}: ${first.message}`, {
    details,
    hint: first.hint,
    status: first.status,
    request: first.request,
  });
}
