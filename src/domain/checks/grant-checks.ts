/** Expectations over the metric grants of one company. Revoked grants count for none of them. */
import type { MetricGrant } from '../../contract/metrics.ts';
import { usage } from '../../core/errors.ts';
import { dayOfTime } from '../../core/periods.ts';
import { functionHint } from '../expression/typed.ts';
import { isEnded, isExpired, isRevoked } from '../grants.ts';
import { meets, parseExpectation, type Signature } from './expectation.ts';
import { Findings, lacking, type Outcome, outcome } from './model.ts';

export type Grant = Partial<MetricGrant>;

interface GrantFacts {
  grants: readonly Grant[];
  now: Date;
  cap: number;
  allowEmpty?: boolean;
  nameOf?(id: string): string | undefined;
}

interface GrantFunction extends Signature {
  threshold: string;
  /** The problems of a grant, or its values that are not allowed; `ids` are the arguments. Absent: grants are counted. */
  problemsOf?(grant: Grant, ids: readonly string[], now: Date): readonly string[];
}

const many = Number.POSITIVE_INFINITY;
const theIds = { needs: ['the allowed ids'], most: many };
const recipientsOf = (grant: Grant) =>
  [grant.recipient_company_id, grant.recipient_user_id].filter((id) => typeof id === 'string');

const grantFunctions: Readonly<Record<string, GrantFunction>> = {
  expiry_set: {
    threshold: 'every grant has an expiry',
    problemsOf: ({ expires_at }) => (expires_at ? [] : ['no expiry']),
  },
  none_expired_active: {
    threshold: 'no expired grant is active',
    problemsOf: (grant, _, now) =>
      !isEnded(grant) && isExpired(grant, now) ? [`active, expired ${dayOfTime(String(grant.expires_at))}`] : [],
  },
  recipients: { ...theIds, threshold: 'recipient', problemsOf: (grant, ids) => others(recipientsOf(grant), ids) },
  metrics: {
    ...theIds,
    threshold: 'metric',
    // A grant without metric ids gives all metrics, which no list of them allows.
    problemsOf: ({ metric_ids }, ids) =>
      others(metric_ids && metric_ids.length > 0 ? metric_ids : ['all metrics'], ids),
  },
  historical: {
    most: many,
    threshold: 'no historical access unless named',
    problemsOf: (grant, ids) =>
      grant.include_historical && ![grant.id ?? '', ...recipientsOf(grant)].some((id) => ids.includes(id))
        ? ['has historical access']
        : [],
  },
  count: { bound: 'number', threshold: '' },
};

function others(values: readonly string[], allowed: readonly string[]): string[] {
  return values.filter((value) => !allowed.includes(value));
}

export const grantFunctionNames: readonly string[] = Object.keys(grantFunctions);

export function grantTest(text: string): (facts: GrantFacts) => Outcome {
  const expectation = parseExpectation(text, grantFunctions);
  if (expectation.kind !== 'call')
    throw usage(`"${text}": unknown expectation`, functionHint(text, grantFunctionNames));
  return ({ grants, now, cap, allowEmpty, nameOf }) => {
    const current = grants.filter((grant) => !isRevoked(grant));
    const { args, bound } = expectation.call;
    if (bound) return outcome(meets(bound, current.length), String(current.length), `${bound.operator} ${bound.text}`);
    const known = expectation.function;
    const ids = args.map((argument) => argument.text);
    const threshold = known.needs ? `${known.threshold} in ${ids.join(', ')}` : known.threshold;
    if (current.length === 0 && !allowEmpty) return lacking('rows', 'no grants', threshold);
    const findings = new Findings(cap);
    for (const grant of current) {
      const problems = known.problemsOf?.(grant, ids, now) ?? [];
      if (problems.length === 0) continue;
      const says = problems.join(', ');
      const detail = known.needs ? `${known.threshold} ${says} is not allowed` : says;
      const [recipient = 'nobody named'] = recipientsOf(grant);
      const keys = problems.map((problem) => `${grant.id} ${problem}`);
      findings.add(grant.id, `to ${nameOf?.(recipient) ?? recipient}`, detail, keys);
    }
    return findings.outcome(`${current.length - findings.count} of ${current.length} grants`, threshold);
  };
}
