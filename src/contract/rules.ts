/** Rules across fields (docs/api.md, "Operations"), each a named function that both halves call. */

import { endMonth, monthsIn, type PeriodType, parsePeriod, periodExamples, startMonth } from '../core/periods.ts';
import { versions as known, versionsText } from './metrics.ts';
import type { Rule } from './operation.ts';
import type { Issue } from './validate.ts';

type Query = Record<string, unknown>;

/** docs/api.md, "Limits". */
export const maxMetricIds = 50;
export const maxWindowPeriods = 60;
/** The largest body of a request. */
export const maxBodyBytes = 1024 * 1024;
/** The largest value of an entry, and the longest title (docs/server.md, "Limits"). */
export const maxValueBytes = 256 * 1024;
export const maxTitleCharacters = 20_000;

/** The parts of a comma-separated parameter; blanks around them do not count, empty parts are kept for the rules to refuse. */
export function splitList(value: unknown): string[] {
  return typeof value === 'string' && value.trim() !== '' ? value.split(',').map((part) => part.trim()) : [];
}

function isGrain(value: unknown): value is PeriodType {
  return typeof value === 'string' && Object.hasOwn(monthsIn, value);
}

/** The position of a period within its grain; undefined when it is of another grain. */
function indexIn(type: PeriodType, text: string): number | undefined {
  const period = parsePeriod(text);
  return period?.type === type ? period.index : undefined;
}

const issue = (path: string, message: string): Issue[] => [{ path, message }];

/** The pattern of a comma-separated parameter; `more` is the repetition of further parts, such as `{0,49}`. */
const listPattern = (part: string, more: string) => `^\\s*${part}\\s*(?:,\\s*${part}\\s*)${more}$`;

const versionsAreKnown: Rule<Query> = {
  name: 'versionsAreKnown',
  description: `versions is a comma-separated list of ${versionsText}`,
  patterns: { versions: listPattern(`(?:${known.join('|')})`, '*') },
  check({ versions }) {
    if (versions === undefined) return [];
    const parts = splitList(versions);
    const wrong = parts.filter((part) => !known.some((version) => version === part));
    if (parts.length === 0) return issue('versions', `must name at least one of ${versionsText}`);
    if (wrong.length === 0) return [];
    return issue('versions', `must be one or more of ${versionsText}, got ${JSON.stringify(wrong[0])}`);
  },
};

export const actualsAreMonthly: Rule<Query> = {
  name: 'actualsAreMonthly',
  description: 'actuals are stored at month grain only: versions that contain actual need periodType month',
  check({ versions, periodType }) {
    const requested = versions === undefined ? ['actual'] : splitList(versions);
    if (!requested.includes('actual') || periodType === undefined || periodType === 'month') return [];
    return issue('periodType', `must be month when versions contain actual, got ${String(periodType)}`);
  },
};

const metricIdsAreFew: Rule<Query> = {
  name: 'metricIdsAreFew',
  description: `metricIds holds at most ${maxMetricIds} ids, none of them empty`,
  patterns: { metricIds: `^\\s*$|${listPattern('[^,\\s](?:[^,]*[^,\\s])?', `{0,${maxMetricIds - 1}}`)}` },
  check({ metricIds }) {
    if (metricIds === undefined) return [];
    const ids = splitList(metricIds);
    if (ids.includes('')) return issue('metricIds', 'must not hold an empty id');
    if (ids.length <= maxMetricIds) return [];
    return issue('metricIds', `must name at most ${maxMetricIds} metrics, got ${ids.length}`);
  },
};

const boundsMatchGrain: Rule<Query> = {
  name: 'boundsMatchGrain',
  description: 'fromPeriod and toPeriod are written in the grain of periodType (2006-01, 2006-Q1, 2006)',
  check({ periodType, fromPeriod, toPeriod }) {
    if (!isGrain(periodType)) return [];
    return Object.entries({ fromPeriod, toPeriod }).flatMap(([path, value]) =>
      typeof value === 'string' && indexIn(periodType, value) === undefined
        ? issue(path, `must be a ${periodType} such as ${periodExamples[periodType]}, got ${value}`)
        : [],
    );
  },
};

const windowIsBounded: Rule<Query> = {
  name: 'windowIsBounded',
  description: `a window from fromPeriod to toPeriod holds at most ${maxWindowPeriods} periods and does not run backwards`,
  check({ periodType, fromPeriod, toPeriod }) {
    if (!isGrain(periodType) || typeof fromPeriod !== 'string' || typeof toPeriod !== 'string') return [];
    const from = indexIn(periodType, fromPeriod);
    const to = indexIn(periodType, toPeriod);
    if (from === undefined || to === undefined) return [];
    if (to < from) return issue('toPeriod', `must not be before fromPeriod (${fromPeriod}), got ${toPeriod}`);
    const count = to - from + 1;
    if (count <= maxWindowPeriods) return [];
    return issue('toPeriod', `the window may hold at most ${maxWindowPeriods} periods, got ${count}`);
  },
};

export const seriesRules = [versionsAreKnown, actualsAreMonthly, metricIdsAreFew, boundsMatchGrain, windowIsBounded];

const publishedBoundsInOrder: Rule<Query> = {
  name: 'publishedBoundsInOrder',
  description: 'from is not after to',
  check({ from, to }) {
    if (typeof from !== 'string' || typeof to !== 'string') return [];
    const first = parsePeriod(from);
    const last = parsePeriod(to);
    if (!first || !last || startMonth(first) <= endMonth(last)) return [];
    return issue('to', `must not be before from (${from}), got ${to}`);
  },
};

export const publishedRules = [publishedBoundsInOrder];
