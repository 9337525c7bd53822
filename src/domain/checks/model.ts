/** Checks and their outcomes. Plain data, so that reports, baselines and scripts share it. */
import { array, type Infer, integer, number, object, record, string } from '../../contract/schema.ts';
import { shorten } from '../../core/errors.ts';
import type { Numeric } from '../../core/json.ts';
import { propertyOf } from '../../core/json.ts';

export const severities = ['error', 'warn'] as const;
export type Severity = (typeof severities)[number];

export type Subject = 'list' | 'metrics' | 'grants';

export interface CheckSpec {
  /** Its own name, else the text of the expectation. */
  name: string;
  /** The expectation: `unique(email)`, `count >= 10`, `arr = 12 * mrr ± 1%`. */
  expect: string;
  severity: Severity;
  tags: readonly string[];
  owner?: string | undefined;
  description?: string | undefined;
  /** The position of the expectation in the file, from 1; absent for the inline form. */
  line?: number;
  column?: number;
}

/** `error`: the check could not run, which is never a pass. */
export type Status = 'pass' | 'fail' | 'error';

/** The data that a check lacked, though everything could be read. */
type Lack = 'baseline' | 'rows';

/** A row, period, group or grant that broke a check. */
export interface Finding {
  id: string;
  title: string;
  detail: string;
  /** Tell it from every other finding of its check; several where parts of it can fail apart, as columns of a row do. */
  keys: readonly string[];
  /** All of its keys are in the baseline. */
  known?: true;
}

export interface Outcome {
  status: Status;
  /** The observed value, also on a pass: `503`, `min 0.01, max 12.4`. */
  observed: string;
  /** The threshold: `>= 10`, `at most 0 duplicate rows`. */
  threshold: string;
  /** The number of rows that broke it; 0 for a check of all rows together or of the list itself. */
  failed: number;
  findings: Finding[];
  /** Why its status is `error`; absent where data could not be read. */
  lacks?: Lack;
}

/** The outcome of an expectation of all rows together. */
export function outcome(holds: boolean, observed: string, threshold: string): Outcome {
  return { status: holds ? 'pass' : 'fail', observed, threshold, failed: 0, findings: [] };
}

export function lacking(lacks: Lack, observed: string, threshold: string): Outcome {
  return { ...outcome(false, observed, threshold), status: 'error', lacks };
}

export interface CheckResult extends Outcome {
  spec: CheckSpec;
  /** `list pipeline`, `metrics of acme`, `grants of acme`. */
  subject: string;
  /** The rows or months of its section, where others have the same subject; else empty. */
  part: string;
  /** Known from the baseline, or first written to it by this run: it does not count. */
  known?: boolean;
}

/** The number of findings that a check reports; all are counted. */
export const defaultFindings = 10;

const maxTextLength = 200;

/** Gathers findings up to a cap and counts them all. */
export class Findings {
  count = 0;
  private readonly first: Finding[] = [];

  constructor(private readonly cap: number) {}

  add(id = '', title = '', detail = '', keys: readonly string[] = [id]): void {
    this.count += 1;
    if (this.first.length >= this.cap) return;
    this.first.push({ id, title: shorten(title, maxTextLength), detail: shorten(detail, maxTextLength), keys });
  }

  outcome(observed: string, threshold: string): Outcome {
    return { ...outcome(this.count === 0, observed, threshold), failed: this.count, findings: this.first };
  }
}

export const BaselineSchema = object(
  {
    version: integer({ minimum: 2, maximum: 2 }),
    /** Failing checks, by identity, with the keys of their findings; an empty list for a failure without findings. */
    findings: record(array(string())),
    /** Aggregates by list, and by its rows where sections look at other ones: `list pipeline` → `count` → 420. */
    aggregates: record(record(number())),
  },
  {
    required: ['version', 'findings', 'aggregates'],
    additionalProperties: false,
  },
);
export type Baseline = Omit<Infer<typeof BaselineSchema>, 'aggregates'> & {
  aggregates: Aggregates;
};

export type Aggregates = Record<string, Record<string, Numeric>>;

/** The identity of a check in later runs: its subject and expectation, not its name or line. */
function identity({ subject, part, spec }: CheckResult): string {
  return `${subject}${part}: ${spec.expect}`;
}

/** The results with `known` set on findings that are in the baseline, and on failures without other ones. */
export function withBaseline(results: readonly CheckResult[], baseline: Baseline): CheckResult[] {
  return results.map((result) => {
    const before = propertyOf(baseline.findings, identity(result));
    if (result.status !== 'fail' || !before) return result;
    if (result.findings.length === 0) return before.length === 0 ? { ...result, known: true } : result;
    const keys = new Set(before);
    const isKnown = (finding: Finding) => finding.keys.every((key) => keys.has(key));
    const fresh = result.findings.filter((finding) => !isKnown(finding));
    const known = result.findings.filter(isKnown).map((finding): Finding => ({ ...finding, known: true }));
    // Reports show the first findings.
    const marked = { ...result, findings: [...fresh, ...known] };
    return fresh.length > 0 || result.failed > result.findings.length ? marked : { ...marked, known: true };
  });
}

/** The failures and aggregates of now. Beside an earlier baseline no new failure becomes known. */
export function baselineOf(results: readonly CheckResult[], aggregates: Aggregates, before?: Baseline): Baseline {
  const findings = new Map(Object.entries(before?.findings ?? {}));
  for (const result of results) {
    const check = identity(result);
    const known = findings.get(check);
    findings.delete(check);
    if (result.status !== 'fail' || (before && !known)) continue;
    const keys = result.findings.flatMap((finding) => finding.keys.filter((key) => !known || known.includes(key)));
    if (keys.length > 0 || !known || known.length === 0) findings.set(check, keys);
  }
  return { version: 2, findings: Object.fromEntries(findings), aggregates: { ...before?.aggregates, ...aggregates } };
}
