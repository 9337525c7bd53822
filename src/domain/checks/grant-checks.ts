/** Expectations over the metric grants of one company. Revoked grants count for none of them. */
import type { MetricGrant } from '../../contract/metrics.ts';
import { usage } from '../../core/errors.ts';
import { dayOfTime } from '../../core/periods.ts';
import { isEnded, isExpired, isRevoked } from '../grants/grants.ts';
import { type Call, meets, parseExpectation, refuseMore } from './grammar.ts';
import { Findings, lacking, type Outcome } from './model.ts';

export type Grant = Partial<MetricGrant>;

interface GrantFacts {
  grants: readonly Grant[];
  now: Date;
  cap: number;
  /** There may be no grants. */
  allowEmpty?: boolean;
}

type GrantTest = (facts: GrantFacts) => Outcome;

const heads: Record<string, (call: Call) => GrantTest> = {
  count,
  expiry_set: (call) =>
    every(call, 'every grant has an expiry', (grant) => (grant.expires_at ? undefined : 'no expiry')),
  none_expired_active: (call) =>
    every(call, 'no expired grant is active', (grant, now) =>
      !isEnded(grant) && isExpired(grant, now) ? `active, expired ${dayOfTime(String(grant.expires_at))}` : undefined,
    ),
  recipients: (call) =>
    allowed(
      call,
      (grant) => [grant.recipient_company_id, grant.recipient_user_id].flatMap((id) => id ?? []),
      'recipient',
    ),
  metrics: (call) =>
    // A grant without metric ids gives all metrics, which no list of them allows.
    allowed(
      call,
      (grant) => ((grant.metric_ids ?? []).length === 0 ? ['all metrics'] : (grant.metric_ids ?? [])),
      'metric',
    ),
  historical: (call) => {
    const named = new Set(call.args.map((argument) => argument.text));
    const isNamed = (grant: Grant): boolean =>
      [grant.id, grant.recipient_company_id, grant.recipient_user_id].some((id) => id !== undefined && named.has(id));
    return every({ ...call, args: [] }, 'no historical access unless named', (grant) =>
      grant.include_historical && !isNamed(grant) ? 'has historical access' : undefined,
    );
  },
};

export const grantHeads: ReadonlySet<string> = new Set(Object.keys(heads));

/** Makes the test of one expectation. @throws Failure usage */
export function grantTest(text: string): GrantTest {
  const expectation = parseExpectation(text, grantHeads);
  const make = expectation.kind === 'call' ? heads[expectation.head] : undefined;
  if (expectation.kind !== 'call' || !make) {
    throw usage(`"${text}": unknown expectation`, `the expectations are ${[...grantHeads].sort().join(', ')}`);
  }
  if (expectation.tail && expectation.head !== 'count')
    throw usage(`"${text}": ${expectation.head} takes nothing after it`);
  if (expectation.by !== undefined) throw usage(`"${text}": \`by\` does not go with ${expectation.head}`);
  refuseMore(expectation, {});
  return make(expectation);
}

function count(call: Call): GrantTest {
  if (call.args.length > 0) throw usage(`"${call.text}": count takes no arguments`);
  const { tail } = call;
  if (!tail || tail.percent)
    throw usage(`"${call.text}": count needs an operator and a number after it, such as <= 20`);
  return ({ grants }) => {
    const count = grants.filter((grant) => !isRevoked(grant)).length;
    const status = meets(tail, count) ? 'pass' : 'fail';
    return { status, observed: String(count), threshold: `${tail.operator} ${tail.text}`, failed: 0, findings: [] };
  };
}

function every(call: Call, threshold: string, wrong: (grant: Grant, now: Date) => string | undefined): GrantTest {
  if (call.args.length > 0) throw usage(`"${call.text}": ${call.head} takes no arguments`);
  return ({ grants, now, cap, allowEmpty }) => {
    const findings = new Findings(cap);
    const active = grants.filter((grant) => !isRevoked(grant));
    if (active.length === 0 && !allowEmpty) return lacking('rows', 'no grants', threshold);
    for (const grant of active) {
      const detail = wrong(grant, now);
      if (detail !== undefined) findings.add(grant.id, recipient(grant), detail);
    }
    return findings.outcome(`${active.length - findings.count} of ${active.length} grants`, threshold);
  };
}

function allowed(call: Call, of: (grant: Grant) => readonly string[], what: string): GrantTest {
  const list = new Set(call.args.map((argument) => argument.text));
  if (list.size === 0) throw usage(`"${call.text}": ${call.head} needs the allowed ids`);
  return every({ ...call, args: [] }, `${what} in ${[...list].join(', ')}`, (grant) => {
    const bad = of(grant).filter((id) => !list.has(id));
    return bad.length === 0 ? undefined : `${what} ${bad.join(', ')} is not allowed`;
  });
}

function recipient(grant: Grant): string {
  return `to ${grant.recipient_company_id ?? grant.recipient_user_id ?? 'nobody named'}`;
}
