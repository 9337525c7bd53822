/** What `metrics bridge` is asked for, and what it answers. */

import type { Version } from '../../../contract/metrics.ts';
import { usage } from '../../../core/errors.ts';
import { type Period, parsePeriod } from '../../../core/periods.ts';
import type { Step } from '../../../domain/analysis/bridge.ts';
import type { AnalysisRequest, Metric } from '../analysis/parts.ts';
import { metricIds, versionsOf } from '../read.ts';

export interface BridgeRequest extends AnalysisRequest {
  parts?: string[] | undefined;
  versions?: string | undefined;
  title?: string | undefined;
  ascii?: boolean | undefined;
}

export interface Asked {
  metric: string;
  from: Period;
  to: Period;
  version: Version;
  /** Undefined: the steps are companies or periods. */
  parts: string[] | undefined;
  partial: boolean;
}

export interface Bridge {
  metric: Metric;
  from: string;
  to: string;
  /** What the names of the steps are. */
  by: 'company' | 'period' | 'part';
  steps: (Step & { companyId?: string; months?: string })[];
}

/** @throws Failure usage */
export function askedOf(request: BridgeRequest, several: boolean): Asked {
  const ids = metricIds(request.metrics);
  const [metric, second] = ids ?? [];
  if (metric === undefined) throw usage('metrics bridge needs a metric', 'add -m, such as -m arr');
  if (second !== undefined) throw usage(`a bridge is of one metric, got ${ids?.join(', ')}`, 'run it once for each');
  const bound = (name: '--from' | '--to', text: string | undefined) => {
    if (text === undefined) throw usage(`metrics bridge needs ${name}`, 'add --from 2025-Q3 --to 2025-Q4');
    const period = parsePeriod(text);
    if (!period) throw usage(`${name} must be a period such as 2006-01, 2006-Q1 or 2006, got "${text}"`);
    return period;
  };
  const [from, to] = [bound('--from', request.from), bound('--to', request.to)];
  if (from.type !== to.type) {
    throw usage(`--from is a ${from.type} and --to is a ${to.type}`, 'name two months, two quarters or two years');
  }
  if (from.index >= to.index) throw usage('--from must be before --to');
  const calculated = request.calc?.flatMap((text) => /^\s*([\w.-]+)\s*=/.exec(text)?.[1] ?? []);
  const named = metricIds(request.parts, '--parts') ?? calculated;
  const parts = named?.filter((id) => id !== metric);
  if (several && parts !== undefined && parts.length > 0) {
    throw usage('a bridge has a step for each company or for each part, not both', 'name one company with -c');
  }
  const [version, other] = versionsOf(request.versions);
  if (version === undefined || other !== undefined) throw usage('a bridge is of one version', 'run it once for each');
  return {
    metric,
    from,
    to,
    version,
    parts: parts?.length === 0 ? undefined : parts,
    partial: request.partial === true,
  };
}
