/** Computes on values of the API: conversion into one currency, metrics of `--calc`, and totals. */

import type { Context } from '../../cli/context.ts';
import { joinWords } from '../../cli/define.ts';
import type { CompanyPart } from '../../cli/each-company.ts';
import { readCsv } from '../../core/csv.ts';
import { usage } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import {
  formatPeriod,
  monthsIn,
  type Period,
  type PeriodType,
  parsePeriod,
  partialWords,
  periodSpans,
} from '../../core/periods.ts';
import {
  type ComputedValue,
  computedValue,
  type Definition,
  inOrderOfUse,
  isLinear,
  type NoValue,
  namesIn,
  reach,
  readDefinition,
  unitOf,
} from '../../domain/analysis/calc.ts';
import { indexOf } from '../../domain/analysis/points.ts';
import {
  convertValue,
  type Factor,
  factorOf,
  meaning,
  type RateKind,
  type Rates,
  readRates,
} from '../../domain/analysis/rates.ts';
import { addsUp, totalOf } from '../../domain/analysis/total.ts';
import type { MonthlyValues, SeriesItem } from '../../domain/series/shapes.ts';
import { isMoney, shownUnit } from '../../domain/series/units.ts';
import type { Metric } from './columns.ts';
import {
  type Analysis,
  type AnalysisReader,
  type AnalysisRequest,
  catalogOf,
  grainOf,
  metricIds,
  type Read,
  readableCatalogs,
} from './read.ts';

interface CurrencyExchange {
  to: string;
  rates: Rates;
  /** The period whose rate converts all others. */
  rateAt: Period | undefined;
  /** The periods without a rate, by currency. */
  missing: Map<string, Set<string>>;
  /** The companies whose amounts are converted, by currency. */
  companies: Map<string, Set<string | undefined>>;
  /** The factors that were used, by currency and kind, and by period. */
  used: Map<string, Map<string, Factor>>;
}

/** The reader of one company, with its amounts converted and its computed metrics; and the metrics to read for it. */
export async function computingReader(ctx: Context, request: AnalysisRequest, base: Read): Promise<AnalysisReader> {
  const [exchange, calc] = [await readExchange(ctx, request), await calcOf(ctx, request)];
  const needs = calc && needsOf(calc, await metricsOfCatalogs(ctx), grainOf(request));
  let noted = false;
  const read: Read = async (of, words, options) => {
    const back = (options.back ?? 0) + (needs?.back ?? 0);
    const stored = await base(of, words, { ...options, back });
    const { currency } = stored;
    if (exchange && currency !== undefined && currency !== exchange.to) {
      const ids = exchange.companies.get(currency) ?? new Set();
      exchange.companies.set(currency, ids.add(options.company));
      // A file of rates does not name its base.
      if (!noted) of.out.note(`${exchange.rates.name}: rates are read as ${meaning(exchange.rates)}.`);
      noted = true;
    }
    const analysis = exchange ? convertAnalysis(stored, exchange) : stored;
    if (!calc || !needs) return analysis;
    // A metric computed from metrics of other companies has no value here.
    const { definitions } = await catalogOf(of, options.company);
    const known = new Set(definitions.map(({ metricId }) => metricId));
    const computable = needs.definitions.filter(({ node }) =>
      namesIn(node).every((name) => calc.all.has(name) || known.has(name)),
    );
    const partial = words.partial === true;
    const result = computeMetrics(analysis, { calc, definitions: computable, partial, back: options.back ?? 0 });
    const name = options.company === undefined ? undefined : (of.companyName(options.company) ?? options.company);
    for (const { id, note } of result.metrics) {
      if (note === undefined || !calc.all.has(id)) continue;
      of.out.warn(`${name === undefined ? '' : `${name}: `}${id} has no value: ${note}`);
    }
    return result;
  };
  return {
    metrics: needs ? needs.metrics : metricIds(request.metrics),
    read,
    finish(parts) {
      if (!exchange) return;
      requireRates(exchange);
      for (const remark of remarksOf(exchange, parts)) ctx.out.remark(remark);
    },
  };
}

async function metricsOfCatalogs(ctx: Context): Promise<ReadonlySet<string>> {
  const [first, ...others] = ctx.settings.companies.value;
  const catalogs =
    others.length === 0 ? [await catalogOf(ctx, undefined)] : await readableCatalogs(ctx, [first, ...others]);
  return new Set(catalogs.flatMap(({ definitions }) => definitions.map(({ metricId }) => metricId)));
}

/** `--in USD --rates FILE`; undefined where nothing is converted. @throws Failure usage */
async function readExchange(ctx: Context, { in: target, rates: file, rateAt }: AnalysisRequest) {
  const to = target?.toUpperCase();
  if (to === undefined && file === undefined && rateAt === undefined) return undefined;
  if (to === undefined)
    throw usage(
      `${file === undefined ? '--rate-at' : '--rates'} has the rates of --in`,
      'add --in CURRENCY such as --in USD',
    );
  if (file === undefined)
    throw usage('--in needs the rates', 'add --rates FILE with the columns date, currency and rate');
  if (!/^[A-Z]{3}$/.test(to)) throw usage(`--in must be a currency code such as USD, got "${target}"`);
  const text = await ctx.readArgument(file === '-' ? '-' : `@${file}`);
  const rows = await readCsv(text, { name: file });
  const fixed = rateAt === undefined ? undefined : parsePeriod(rateAt);
  if (rateAt !== undefined && !fixed) {
    throw usage(`--rate-at must be a period such as 2006-01, 2006-Q1 or 2006, got "${rateAt}"`);
  }
  const rates = readRates(rows, `--rates ${file}`, to);
  return { to, rates, rateAt: fixed, missing: new Map(), companies: new Map(), used: new Map() };
}

interface Amounts {
  from: string;
  metric: Metric;
}

/** The analysis with its amounts converted. Ratios, percentages and counts stay. */
function convertAnalysis(analysis: Analysis, { to, rates, rateAt, missing, used }: CurrencyExchange): Analysis {
  const amounts = new Map(
    analysis.metrics.flatMap((metric) => {
      const { id, currency: from } = metric;
      return from === undefined || from === to ? [] : [[id, { from, metric }] as const];
    }),
  );
  const factors = new Map<string, ReturnType<typeof factorOf>>();
  const convert = (value: Numeric, { from, metric }: Amounts, key: string): Numeric => {
    const kind = kindOf(metric);
    const period = rateAt ?? parsePeriod(key) ?? { type: analysis.type, index: 0 };
    const name = `${from} ${kind} ${formatPeriod(period)}`;
    const factor = factors.get(name) ?? factorOf(rates, { from, to, kind, period });
    factors.set(name, factor);
    if ('over' in factor) {
      const group = `${from} ${kind}`;
      used.set(group, (used.get(group) ?? new Map()).set(formatPeriod(period), factor));
      return convertValue(value, factor);
    }
    for (const currency of factor.missing) {
      missing.set(currency, new Set([...(missing.get(currency) ?? []), formatPeriod(period)]));
    }
    // `finish` refuses it when every company is read.
    return value;
  };
  const items = analysis.items.map((item) => {
    const values = Object.entries(item.metrics).map(([id, value]) => {
      const amount = amounts.get(id);
      if (!amount || !isNumeric(value)) return [id, value];
      return [id, convert(value, amount, item.periodKey)];
    });
    const { monthly } = item;
    const months = (id: string): MonthlyValues | undefined => {
      const [amount, stored] = [amounts.get(id), monthly?.(id)];
      if (!amount || !stored) return stored;
      const over = (positions: readonly number[]) => {
        const value = stored.over(positions);
        return isNumeric(value) ? convert(value, amount, item.periodKey) : value;
      };
      return { ...stored, over };
    };
    return { ...item, metrics: Object.fromEntries(values), ...(monthly && { monthly: months }) };
  });
  const metrics = analysis.metrics.map((metric) =>
    amounts.has(metric.id) ? { ...metric, unit: to, word: undefined, measure: to, currency: to } : metric,
  );
  return { ...analysis, currency: to, metrics, items };
}

/** @throws Failure usage that names all rates which the file lacks */
function requireRates({ rates, rateAt, missing }: CurrencyExchange): void {
  if (missing.size === 0) return;
  const gaps = [...missing].map(([currency, periods]) => `${currency} in ${periodSpans([...periods]).join(', ')}`);
  throw usage(
    `${rates.name} has no rate of ${gaps.sort().join('; of ')}`,
    `add them to the file, or choose another range${rateAt ? '' : '; --rate-at PERIOD converts all at one rate'}`,
  );
}

/** Sentences about the conversion, for files: the currencies, the companies and every rate. */
function remarksOf(
  { to, rates, rateAt, companies, used }: CurrencyExchange,
  parts: readonly Pick<CompanyPart<unknown>, 'who'>[],
): string[] {
  const sources = [...companies].map(([from, ids]) => {
    const names = parts.flatMap(({ who }) => (who && ids.has(who.companyId) ? [who.company] : []));
    return `Amounts in ${from} are converted into ${to}${names.length === 0 ? '' : `: ${names.join(', ')}`}.`;
  });
  const lines = [...used].map(([group, factors]) => {
    const [from, kind] = group.split(' ');
    const time = rateAt ? 'one rate for all periods' : kind === 'flow' ? 'flows at the average' : 'balances at the end';
    const values = [...factors].sort(([a], [b]) => (a < b ? -1 : 1));
    const each = values.map(
      ([period, factor]) => `${period} ${Number(Number(convertValue(1, factor)).toPrecision(6))}`,
    );
    return `${to} for 1 ${from}, ${time}: ${each.join(', ')}.`;
  });
  if (sources.length === 0) return [`Amounts are in ${to}; none is converted.`];
  const file = rates.name.replace(/^--rates /, '');
  return [...sources, ...lines, `Rates are those of ${file}. Ratios, percentages and counts are not converted.`];
}

/** A flow is of the whole period, a balance of its end. @throws Failure usage where the catalog does not say */
function kindOf({ id, aggregation }: Metric): RateKind {
  if (aggregation === 'sum' || aggregation === 'average') return 'flow';
  if (aggregation === 'last') return 'balance';
  throw usage(
    `the catalog does not say whether ${id} is a flow or a balance, so it cannot be converted`,
    'choose other metrics with -m',
  );
}

interface Calc {
  all: ReadonlyMap<string, Definition>;
  /** The computed metrics of `-m`, else all of `--calc`. */
  computed: readonly string[];
  /** The metrics of `-m`, without the computed ones; undefined: everything. */
  stored: readonly string[] | undefined;
  /** The metrics of `-m`, in their order. */
  order: readonly string[];
}

/** The definitions of `--calc` and of the profile. Undefined where none is used. @throws Failure usage */
export async function calcOf(ctx: Context, { calc, metrics }: AnalysisRequest): Promise<Calc | undefined> {
  if (calc === undefined && ctx.settings.definitions === undefined) return undefined;
  const ofFlags = await definitionsOf(ctx, calc ?? []);
  const all = new Map(
    [...(await savedDefinitions(ctx)), ...ofFlags].map((definition) => [definition.name, definition]),
  );
  const ids = metricIds(metrics);
  const named = ids?.filter((id) => all.has(id)) ?? [];
  // Definitions that -m leaves out are parts of those that it names.
  const computed = [...new Set(named.length > 0 ? named : ofFlags.map(({ name }) => name))];
  if (computed.length === 0) return undefined;
  return { all, computed, stored: ids?.filter((id) => !all.has(id)), order: ids ?? [] };
}

/** The definitions of the profile: those of its file, or those that 0.1.0 kept in the settings. */
export async function savedDefinitions(ctx: Context): Promise<Definition[]> {
  const { definitions = {}, profile } = ctx.settings;
  if (typeof definitions === 'string') return definitionsOf(ctx, [`@${definitions}`]);
  return Object.entries(definitions).map(([name, text]) =>
    readDefinition(`${name} = ${text}`, `calc of profile "${profile.value}"`),
  );
}

async function definitionsOf(ctx: Context, words: readonly string[]): Promise<Definition[]> {
  const definitions: Definition[] = [];
  for (const text of words) {
    if (!text.startsWith('@')) definitions.push(readDefinition(text, '--calc'));
    else {
      const lines = (await ctx.readArgument(text)).split(/\r?\n/).map((line) => line.replace(/^\s*#.*$/, '').trim());
      definitions.push(...lines.filter((line) => line !== '').map((line) => readDefinition(line, `--calc ${text}`)));
    }
  }
  return definitions;
}

const nameOfMetric = ({ id, label = id }: Metric): string => label;

const perYearOf = (type: PeriodType) => 12 / monthsIn[type];

/** The metrics to read for a company, and how many periods before the range. @throws Failure notFound */
function needsOf({ all, computed, stored }: Calc, known: ReadonlySet<string>, type: PeriodType) {
  const definitions = inOrderOfUse(computed, all, known);
  const duplicate = definitions.find(({ name }) => known.has(name));
  if (duplicate) {
    throw usage(
      `--calc ${duplicate.name}: the catalog has a metric "${duplicate.name}"`,
      'choose another name, since both would be shown under it',
    );
  }
  const back = definitions.reduce((periods, { node }) => periods + reach(node, perYearOf(type)), 0);
  const operands = definitions.flatMap(({ node }) => namesIn(node)).filter((name) => !all.has(name));
  return { definitions, back, metrics: stored && [...new Set([...stored, ...operands])] };
}

interface Computation {
  calc: Calc;
  /** A definition comes after those that it names. */
  definitions: readonly Definition[];
  /** Periods that are not complete may be compared with complete ones. */
  partial: boolean;
  /** The number of periods before the range that the command compares with. */
  back: number;
}

/** The analysis with the computed metrics, and without those that were only read for them. */
function computeMetrics(analysis: Analysis, { calc, definitions, partial, back }: Computation): Analysis {
  const { type, range } = analysis;
  const metrics = definitions.reduce(
    (known, definition) => [
      ...known.filter(({ id }) => id !== definition.name),
      computedMetric(definition, known, analysis),
    ],
    analysis.metrics,
  );
  // Copied once, not for each definition; without a prototype a metric may have any name.
  const items = analysis.items.map((item) => ({
    ...item,
    metrics: Object.assign(Object.create(null), item.metrics) as SeriesItem['metrics'],
    incomplete: Object.assign(Object.create(null), item.incomplete) as Record<string, string>,
  }));
  for (const definition of definitions) calculate(items, definition, perYearOf(type), partial);
  const first = range.from ? range.from.index - back : Number.NEGATIVE_INFINITY;
  const isOperand = (id: string) =>
    definitions.some(({ name }) => name === id) || (calc.stored !== undefined && !calc.stored.includes(id));
  // Computed metrics come first unless -m lists metrics: the command is about them.
  const isFirst = (id: string) => calc.stored === undefined && calc.computed.includes(id);
  const rank = ({ id }: Metric) =>
    calc.order.includes(id) ? calc.order.indexOf(id) : isFirst(id) ? -1 : calc.order.length;
  const inRange = items.filter((item) => range.from === undefined || indexOf(item) >= range.from.index);
  const notes = new Map(definitions.map((definition) => [definition.name, reasonWithoutValue(definition, inRange)]));
  return {
    ...analysis,
    items: items.filter((item) => indexOf(item) >= first),
    metrics: metrics
      .filter(({ id }) => calc.computed.includes(id) || !isOperand(id))
      .map((metric) => (notes.get(metric.id) === undefined ? metric : { ...metric, note: notes.get(metric.id) }))
      .sort((a, b) => rank(a) - rank(b)),
  };
}

/** Why no period has a value; undefined where one has. */
function reasonWithoutValue({ name, node }: Definition, items: readonly SeriesItem[]): string | undefined {
  if (items.some(({ metrics }) => isNumeric(metrics[name]))) return undefined;
  const operands = [...new Set(namesIn(node))];
  const missing = operands.filter((id) => !items.some(({ metrics }) => isNumeric(metrics[id])));
  if (missing.length > 0) return `${missing.join(' and ')} ${missing.length === 1 ? 'has' : 'have'} none in the range`;
  return items.findLast(({ notes }) => notes?.[name])?.notes?.[name];
}

function computedMetric({ name, node, direction }: Definition, known: readonly Metric[], { currency }: Analysis) {
  const unit = unitOf(node, (id) => known.find((metric) => metric.id === id)?.measure, `--calc ${name}`);
  // An amount by month, over months, is an amount.
  const measure = unit === `${currency} * months` ? currency : unit;
  const adds = isLinear(node, (id) => known.some((metric) => metric.id === id && addsUp(metric)));
  return {
    id: name,
    label: name,
    unit: shownUnit({ unit: measure, currency }),
    ...(measure === 'percent' && { word: measure }),
    measure,
    ...(isMoney(measure, currency) && { currency: measure }),
    ...(!adds && { isRatio: true }),
    direction,
  };
}

function reasonOf({ missing, incomplete }: NoValue, { periodKey, periodType }: SeriesItem): string {
  const operand = missing ?? incomplete;
  if (!operand) return 'it divides by zero';
  const period = formatPeriod({ type: periodType, index: operand.index });
  const name = `${operand.name}${period === periodKey ? '' : ` in ${period}`}`;
  return incomplete ? `${name} is ${partialWords(incomplete.months)}` : `no ${name}`;
}

/** Adds the values of a definition to the rows. */
function calculate(
  items: readonly (SeriesItem & { incomplete: Record<string, string> })[],
  { name, node }: Pick<Definition, 'name' | 'node'>,
  perYear: number,
  partial: boolean,
): void {
  const lines = new Map<string, Map<number, ComputedValue>>();
  for (const item of items) {
    const index = indexOf(item);
    for (const id of namesIn(node)) {
      if (!Object.hasOwn(item.metrics, id)) continue;
      const key = `${item.version} ${id}`;
      const line = lines.get(key) ?? new Map<number, ComputedValue>();
      lines.set(key, line.set(index, { value: item.metrics[id] ?? null, incomplete: item.incomplete?.[id] }));
    }
  }
  for (const item of items) {
    const valueAt = (id: string, index: number) => lines.get(`${item.version} ${id}`)?.get(index);
    const result = computedValue(node, indexOf(item), valueAt, perYear, partial);
    if (result.value === undefined) {
      item.notes = { ...item.notes, [name]: reasonOf(result, item) };
      continue;
    }
    item.metrics[name] = result.value;
    if (result.incomplete !== undefined) item.incomplete[name] = result.incomplete;
  }
}

/** The parts, and their total as the last. @param absent companies without the metrics @throws usage for currencies */
export function withTotal(ctx: Context, parts: CompanyPart<Analysis>[], absent: readonly string[]) {
  const [first] = parts;
  if (first?.who === undefined || parts.length + absent.length < 2) {
    throw usage('--total adds companies, and there is one', 'name more with -c');
  }
  const all = parts.flatMap(({ value }) => value.metrics);
  const metrics = new Map<string, Metric>();
  for (const metric of all) if (!metrics.has(metric.id)) metrics.set(metric.id, metric);
  const currencies = new Set(all.filter(addsUp).flatMap(({ currency }) => currency ?? []));
  if (currencies.size > 1) {
    throw usage(
      `--total cannot add amounts in ${[...currencies].join(' and ')}`,
      'convert them with --in CURRENCY --rates FILE',
    );
  }
  const members = [
    ...parts.map(({ who, value }) => ({ company: who?.company ?? '', items: value.items })),
    ...absent.map((company) => ({ company, items: [] })),
  ];
  const items = totalOf(members, [...metrics.values()], 'nothing');
  const others = all.filter((metric) => !addsUp(metric)).map(nameOfMetric);
  const without = others.length === 0 ? '' : `, and not ${joinWords([...new Set(others)], 'and')}`;
  const added = [...metrics.values()].filter(addsUp).map(nameOfMetric);
  ctx.out.remark(`The total adds ${added.length > 0 ? joinWords(added, 'and') : 'nothing'}${without}.`);
  const value: Analysis = { ...first.value, items, metrics: [...metrics.values()], members };
  return [...parts, { who: { company: 'total' }, value }];
}
