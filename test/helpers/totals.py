"""Recomputes totals of companies from plain exports, and compares them with what comem printed (CSV in this folder)."""

import csv
import re
import sys
from fractions import Fraction

compared = 0
MONTHS = [f'{2024 + at // 12}-{at % 12 + 1:02}' for at in range(18)]
QUARTERS = [f'{2024 + at // 4}-Q{at % 4 + 1}' for at in range(6)]


def rows(name):
    with open(name, newline='') as file:
        return list(csv.DictReader(file))


def fail(what, shown, wanted):
    sys.exit(f'{what}: {shown!r}, not {wanted}')


def same(what, shown, wanted, slack=0):
    """Sums and differences to the last digit; what is converted or divided within so much."""
    global compared
    compared += 1
    if wanted is None or shown == '':
        if wanted is not None or shown != '':
            fail(what, shown, wanted)
    elif abs(Fraction(shown) - wanted) > slack:
        fail(what, shown, float(wanted))


class World:
    def __init__(self, target):
        self.target = target
        self.catalog = {(row['company'], row['metricId']): row for row in rows('catalog.csv')}
        self.companies = list(dict.fromkeys(company for company, _ in self.catalog))
        self.currency = {row['company']: row['currency'] for row in rows('companies.csv')}
        self.rates = {(row['currency'], row['date'][:7]): Fraction(row['per EUR']) for row in rows('rates.csv')}
        self.values = {}
        for row in rows('months.csv') + rows('quarters.csv'):
            if row['value'] == '':
                continue
            key = row['company'], row['metricId'], row['version'], row['periodKey']
            self.values[key] = Fraction(row['value'])
        self.partial = set()
        for company, metric in self.catalog:
            for quarter in QUARTERS:
                self.derive(company, metric, quarter)

    def derive(self, company, metric, quarter):
        months = months_of(quarter)
        values = [self.values[key] for month in months if (key := (company, metric, 'actual', month)) in self.values]
        if not values:
            return
        isSum = self.catalog[company, metric]['aggregation'] == 'sum'
        self.values[company, metric, 'actual', quarter] = sum(values) if isSum else values[-1]
        if len(values) < 3:
            self.partial.add((company, metric, quarter))

    def adds(self, metric):
        """Amounts and counts; the other metrics have no total."""
        return next(row['unit'] for (_, name), row in self.catalog.items() if name == metric) in ('currency', 'count')

    def value(self, company, metric, version, period):
        value = self.values.get((company, metric, version, period))
        definition = self.catalog.get((company, metric))
        if value is None or definition is None or definition['unit'] != 'currency':
            return value
        source = self.currency[company]
        if self.target == '' or source == self.target:
            return value
        months = months_of(period) if 'Q' in period else [period]
        rate = lambda code, month: 1 if code == 'EUR' else self.rates[code, month]
        if definition['aggregation'] == 'last':
            months = months[-1:]
        if 'EUR' in (source, self.target):
            over, under = [sum(rate(code, month) for month in months) for code in (self.target, source)]
            return value * over / under
        return value * sum(rate(self.target, month) / rate(source, month) for month in months) / len(months)

    def total(self, metric, cells):
        """The sums of the companies that have each of the cells that one of them has, and the companies without."""
        values = {company: [self.value(company, metric, *cell) for cell in cells] for company in self.companies}
        valued = [at for at in range(len(cells)) if any(all_[at] is not None for all_ in values.values())]
        included = [name for name, all_ in values.items() if all(all_[at] is not None for at in valued)]
        sums = [
            sum(values[name][at] for name in included) if at in valued and included else None
            for at in range(len(cells))
        ]
        size = sum((abs(value) for name in included for value in values[name] if value is not None), Fraction(0))
        left = [name for name in self.companies if name not in included] if valued else []
        return sums, left, included, size * Fraction(1, 10**13) if self.target else 0


def months_of(quarter):
    first = int(quarter[-1]) * 3 - 2
    return [f'{quarter[:4]}-{month:02}' for month in range(first, first + 3)]


def percent(now, then, slack):
    """The change in percent of the value before, and how exact it can be."""
    if None in (now, then) or then == 0:
        return None, 0
    change = (now - then) / abs(then) * 100
    return change, abs(change) * Fraction(1, 10**12) + 200 * slack / abs(then) * (1 + abs(now / then))


def named(what, note, left):
    global compared
    compared += 1
    written = set(re.findall(r'\bc\d{7}\b', note))
    if written != set(left):
        fail(f'{what}, the note', note, left)


NO_SUM = 'does not add up'


def totals(name):
    return [row for row in rows(name) if row['company'] == 'total' and NO_SUM not in row['note']]


def check_table(world):
    for row in totals('table.csv'):
        metric = row['metricId']
        sums, left, _, slack = world.total(metric, [('actual', month) for month in MONTHS])
        for month, value in zip(MONTHS, sums):
            same(f'table {metric} {month}', row.get(month, ''), value, slack)
        named(f'table {metric}', row['note'], left)
        newest = max((at for at, value in enumerate(sums) if value is not None), default=0)
        change = percent(sums[newest], sums[newest - 1] if newest else None, slack)
        same(f'table {metric} change', row['change'], *change)


def check_growth(world):
    for row in totals('growth.csv'):
        metric, at = row['metricId'], MONTHS.index(row['periodKey'])
        [value], left, _, slack = world.total(metric, [('actual', MONTHS[at])])
        same(f"growth {metric} {row['periodKey']}", row['value'], value, slack)
        lacking = set(left)
        for rate, back in (('mom', 1), ('yoy', 12)):
            if at < back or all(world.value(name, metric, 'actual', MONTHS[at - back]) is None for name in world.companies):
                same(f"{rate} {metric} {row['periodKey']}", row[rate], None)
                continue
            [then, now], without, _, slack = world.total(metric, [('actual', MONTHS[at - back]), ('actual', MONTHS[at])])
            same(f"{rate} {metric} {row['periodKey']}", row[rate], *percent(now, then, slack))
            lacking |= set(without)
        named(f"growth {metric} {row['periodKey']}", row['note'], lacking)


def check_variance(world, file):
    for row in totals(file):
        metric, period = row['metricId'], row['periodKey']
        [actual, budget], left, included, slack = world.total(metric, [('actual', period), ('budget', period)])
        what = f'{file} {metric} {period}'
        same(what, row['actual'], actual, slack)
        same(what, row['budget'], budget, slack)
        isPartial = any((name, metric, period) in world.partial for name in included)
        if isPartial or None in (actual, budget):
            actual = budget = None
        same(what, row['difference'], None if actual is None else actual - budget, slack)
        same(what, row['percent'], *percent(actual, budget, slack))
        named(what, row['note'], left)


def check_values(world, file, column):
    for row in totals(file):
        metric, period = row['metricId'], row['periodKey']
        [value], left, _, slack = world.total(metric, [(row['version'], period)])
        same(f'{file} {metric} {period}', row[column], value, slack)
        named(f'{file} {metric} {period}', row['note'], left)


def check_chart(world):
    metrics = [metric for metric in metrics_of(world) if world.adds(metric)]
    for row in rows('chart.csv'):
        if row['company'] != 'total':
            continue
        lacking = set()
        for metric in metrics:
            sums, left, _, slack = world.total(metric, [('actual', month) for month in MONTHS])
            same(f"chart {metric} {row['periodKey']}", row[metric], sums[MONTHS.index(row['periodKey'])], slack)
            if any(world.value(name, metric, 'actual', row['periodKey']) is not None for name in world.companies):
                lacking |= set(left)
        named(f"chart {row['periodKey']}", row['note'], lacking)


def check_bridges(world):
    for metric in metrics_of(world):
        try:
            steps = rows(f'bridge-{metric}.csv')
        except FileNotFoundError:
            continue
        ends = [('actual', MONTHS[0]), ('actual', MONTHS[-1])]
        [start, end], left, included, slack = world.total(metric, ends)
        what = f'bridge {metric}'
        same(what, steps[0]['value'], start, slack)
        same(what, steps[-1]['value'], end, slack)
        same(what, steps[-1]['percent'], *percent(end, start, slack))
        values = {row['step']: row['value'] for row in steps if row['kind'] == 'step'}
        if list(values) != included:
            fail(what, list(values), included)
        for name, value in values.items():
            before, after = [world.value(name, metric, *end) for end in ends]
            same(f'{what} {name}', value, after - before, slack)
        named(what, steps[0]['note'], left)


def metrics_of(world):
    return list(dict.fromkeys(metric for _, metric in world.catalog))


def check_additive(world):
    """Ratios have a row without a total and the reason, the others a total in every file."""
    for file in ('table.csv', 'growth.csv', 'variance.csv', 'board.csv', 'get.csv', 'series.csv'):
        for row in rows(file):
            if row['company'] != 'total':
                continue
            if world.adds(row['metricId']) == (NO_SUM in row['note']):
                fail(f"{file} {row['metricId']}", row['note'], 'the note of its kind')
            for column in ('value', 'actual', 'budget', 'difference', *MONTHS):
                if NO_SUM in row['note'] and row.get(column, '') != '':
                    fail(f"{file} {row['metricId']} {column}", row[column], 'empty')


world = World(sys.argv[1])
check_additive(world)
check_table(world)
check_growth(world)
check_variance(world, 'variance.csv')
check_variance(world, 'board.csv')
check_values(world, 'get.csv', 'value')
check_values(world, 'series.csv', 'value')
check_chart(world)
check_bridges(world)
print(compared)
