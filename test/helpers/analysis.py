"""Compares what comem printed (CSV files in this folder) with fractions over plain exports; prints how many numbers."""

import csv
import sys
from collections import Counter
from fractions import Fraction

compared = 0


def rows(name):
    with open(name, newline='') as file:
        return list(csv.DictReader(file))


def same(what, shown, wanted, exact):
    global compared
    compared += 1
    if wanted is None or shown == '':
        if wanted is None and shown == '':
            return
        sys.exit(f'{what}: {shown!r}, not {wanted}')
    off = abs(Fraction(shown) - wanted)
    if off > (0 if exact else abs(wanted) * Fraction(1, 10**12)):
        sys.exit(f'{what}: {shown}, not {float(wanted)!r}')


def month_before(key, back):
    index = int(key[:4]) * 12 + int(key[5:]) - 1 - back
    return f'{index // 12:04}-{index % 12 + 1:02}'


def quarter_months(key):
    first = int(key[-1]) * 3 - 2
    return [f'{key[:4]}-{month:02}' for month in range(first, first + 3)]


def ratio(now, then):
    return None if now is None or then in (None, 0) else (now - then) / abs(then) * 100


def change(metric, now, then):
    """In percent, exactly in points for a metric that is in percent itself."""
    if metric == 'churn_rate':
        return None if None in (now, then) else now - then
    return ratio(now, then)


def mean(values):
    return None if None in values else sum(values) / len(values)


def points_of(name, version='actual'):
    return {
        (row['company'], row['metricId'], row['periodKey']): Fraction(row['value'])
        for row in rows(name)
        if row['version'] == version and row['value'] != ''
    }


def growth(at, shown):
    for row in shown:
        key, value = row['periodKey'], Fraction(row['value'])
        who = row.get('company', '')
        of = lambda back: at.get((who, row['metricId'], month_before(key, back)))
        what = f"{who} {row['metricId']} {key}"
        same(what, row['value'], of(0), True)
        for name, back in (('mom', 1), ('yoy', 12)):
            if name in row:
                same(f'{what} {name}', row[name], change(row['metricId'], value, of(back)), row['metricId'] == 'churn_rate')


def rates():
    by_month = {}
    for row in rows('rates.csv'):
        by_month.setdefault(row['date'][:7], []).append(Fraction(row['rate']))
    return by_month


def euros(value, currency, metric, months, by_month):
    if currency != 'USD' or metric == 'headcount':
        return value
    held = [rate for month in months for rate in by_month.get(month, [])]
    return value / (sum(held) / len(held) if metric == 'burn' else held[-1])


def currencies(name):
    return {row['company']: row['currency'] for row in rows(name) if row['currency']}


def totals(shown, key_of, months_of, value_of, money):
    sums = {}
    by_month = rates()
    for row in shown:
        who, metric, key = row['company'], row['metricId'], row['periodKey']
        what = f'{who} {metric} {key}'
        if who == 'total':
            same(what, row['value'], sums[metric, key], True)
            continue
        wanted = euros(value_of(who, metric, key), money[who], metric, months_of(key), by_month)
        same(what, row['value'], wanted, money[who] != 'USD' or metric == 'headcount')
        # The total adds what is shown.
        sums[metric, key] = sums.get((metric, key), 0) + Fraction(row['value'])


def demo():
    at = points_of('points.csv')
    plan = points_of('points.csv', 'budget')
    growth(at, rows('growth.csv'))
    for row in rows('variance.csv'):
        place = row['company'], row['metricId'], row['periodKey']
        actual, budget = at.get(place), plan.get(place)
        both = actual is not None and budget is not None
        same(f'{place} difference', row['difference'], actual - budget if both else None, True)
        same(f'{place} percent', row['percent'], change(row['metricId'], actual, budget), row['metricId'] == 'churn_rate')
    money = currencies('points.csv')
    totals(rows('total.csv'), None, lambda key: [key], lambda *place: at[place], money)

    def of_quarter(who, metric, key):
        months = [at[who, metric, month] for month in quarter_months(key)]
        return sum(months) if metric == 'burn' else months[-1]

    totals(rows('quarters.csv'), None, quarter_months, of_quarter, money)
    for row in rows('calc.csv'):
        who, key = row['company'], row['periodKey']
        before = at.get((who, 'arr', month_before(key, 1)))
        net = None if before is None else at[who, 'arr', key] - before
        burn = at.get((who, 'burn', key))
        same(f'{who} net {key}', row['net'], net, True)
        same(f'{who} multiple {key}', row['multiple'], None if None in (net, burn) or net == 0 else burn / net, False)


def readme():
    deals = rows('deals.csv')
    value = lambda deal: Fraction(deal['valuation'])
    top, stages, sectors, changed, variance, arr, total, board = (rows(f'answer{n}.csv') for n in range(8))
    large = [deal for deal in deals if deal['valuation'] and value(deal) > 20_000_000]
    large = sorted((d for d in large if d['stage'] not in ('Passed', 'Invested')), key=value, reverse=True)
    assert [row['title'] for row in top] == [deal['title'] for deal in large[: len(top)]], top
    for row, deal in zip(top, large):
        same(row['title'], row['valuation'], value(deal), True)
    counts = Counter(deal['stage'] for deal in deals)
    assert sum(int(row['count']) for row in stages) == len(deals) - counts['']
    for row in stages:
        same(row['stage'], row['count'], counts[row['stage']], True)
    sums = Counter()
    open_deals = [deal for deal in deals if deal['stage'] != 'Passed']
    for deal in open_deals:
        sums[deal['sector']] += value(deal) if deal['valuation'] else 0
    of_sector = Counter(deal['sector'] for deal in open_deals)
    for row, (sector, wanted) in zip(sectors[:-1], sums.most_common(5), strict=True):
        assert row['sector'] == sector, row
        same(sector, row['count'], of_sector[sector], True)
        same(sector, row['sum(valuation)'], wanted, True)
    # The total is of all sectors, also those that are not shown.
    assert sectors[-1]['sector'] == 'Total', sectors[-1]
    same('Total', sectors[-1]['count'], len(open_deals), True)
    same('Total', sectors[-1]['sum(valuation)'], sum(sums.values()), True)
    wanted = {deal['title'] for deal in deals if deal['updated_at'] >= '2026-03-30T09:00:00'}
    found = {row['title'] for row in changed}
    assert found == wanted, (found, wanted)
    at, plan = points_of('points.csv'), points_of('points.csv', 'budget')
    assert len(variance) == 5
    for row in variance:
        place = row['company'], 'mrr', '2025-12'
        same(f'{place}', row['actual'], at[place], True)
        same(f'{place} budget', row['budget'], plan[place], True)
        same(f'{place} %', row['percent'], ratio(at[place], plan[place]), False)
    quarters = [name for name in arr[0] if '-Q' in name]
    assert len(quarters) == 3
    for row in arr:
        for key in quarters:
            months = quarter_months(key)
            last = lambda metric, months=months: at['lumen', metric, months[-1]]
            net = last('arr') - at['lumen', 'arr', month_before(months[0], 1)]
            burn = sum(at['lumen', 'burn', month] for month in months)
            answers = {'net_new_arr': net, 'burn_multiple': burn / net, 'runway': last('runway')}
            same(f"{row['metricId']} {key}", row[key], answers[row['metricId']], row['metricId'] != 'burn_multiple')
    money, by_month = currencies('points.csv'), rates()
    for row in total[:-1]:
        who = row['company']
        wanted = euros(at[who, 'arr', '2025-12'], money[who], 'arr', ['2025-12'], by_month)
        same(f'{who} arr', row['value'], wanted, money[who] != 'USD')
    assert total[-1]['company'] == 'total' and len(total) == 6
    same('total', total[-1]['value'], sum(Fraction(row['value']) for row in total[:-1]), True)
    budgets = points_of('budgets.csv', 'budget')
    for row in board:
        months = [at['lumen', row['metricId'], month] for month in quarter_months(row['periodKey'])]
        actual = sum(months) if row['metricId'] == 'burn' else months[-1]
        budget = budgets['lumen', row['metricId'], row['periodKey']]
        what = f"{row['metricId']} {row['periodKey']}"
        same(what, row['actual'], actual, True)
        same(f'{what} budget', row['budget'], budget, True)
        same(f'{what} variance', row['difference'], actual - budget, True)
        same(f'{what} %', row['percent'], ratio(actual, budget), False)


def employment(file):
    at = {
        ('', metric, row['month'][:7]): Fraction(row[metric])
        for row in rows(file)
        for metric in ('nonfarm', 'utilities', 'wholesale_trade')
    }
    growth(at, rows('growth.csv'))
    for row in rows('averages.csv'):
        key, metric = row['periodKey'], row['metricId'].removeprefix('average_')
        wanted = mean([at.get(('', metric, month_before(key, back))) for back in range(12)])
        same(f"{row['metricId']} {key}", row['value'], wanted, False)
    by_month = rates()
    for row in rows('converted.csv'):
        key, metric = row['periodKey'], row['metricId']
        held = by_month[key]
        rate = held[-1] if metric == 'nonfarm' else sum(held) / len(held)
        same(f'{metric} {key}', row['value'], at['', metric, key] * rate, metric == 'nonfarm')


{'demo': demo, 'readme': readme, 'employment': employment}[sys.argv[1]](*sys.argv[2:])
print(compared)
