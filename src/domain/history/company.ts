/** One company in a history: publications, grants, the values that it can have shown, units. */
import type { MetricDefinition, MetricGrant } from '../../contract/metrics.ts';
import { shownUnit } from '../series/units.ts';
import { newestOf } from './find.ts';
import { Shown } from './ledger.ts';
import { identityOf, Publications } from './restated.ts';
import { linesOf } from './steps.ts';
import type { History, Point, Resource, Version } from './versions.ts';

async function publicationsOf(history: History, company: string): Promise<Publications> {
  const all: Version<Resource>[] = [];
  for await (const version of history.resources('snapshot', { owner: company })) all.push(version);
  return new Publications(all);
}

/** Each grant as it was seen last: only its end changes. */
export async function grantsOf(history: History, company: string): Promise<MetricGrant[]> {
  const found = await newestOf(history, 'grant', { owner: company });
  const grants = found.map(({ value: { id, body } }): MetricGrant => ({ ...body, id }));
  return grants.sort((a, b) => ((a.created_at ?? '') < (b.created_at ?? '') ? -1 : 1));
}

/** Publications where the history has any, else the actual values by month. */
export async function shownOf(history: History, company: string): Promise<Shown> {
  const publications = await publicationsOf(history, company);
  if (publications.size > 0) {
    const shown = new Shown('published');
    shown.addPublications(publications);
    return shown;
  }
  const shown = new Shown('series');
  for await (const line of linesOf(actuals(history.points(company)), identityOf)) shown.addPoint(line);
  return shown;
}

async function* actuals(points: AsyncIterable<Version<Point>>): AsyncGenerator<Version<Point>> {
  for await (const version of points) {
    if (version.value.version === 'actual' && version.value.periodType === 'month') yield version;
  }
}

/** Units by metric, from the newest catalog. */
export async function unitsOf(history: History, company: string): Promise<ReadonlyMap<string, string>> {
  const [own] = await newestOf(history, 'company', { id: company });
  const currency = typeof own?.value.body.currency === 'string' ? own.value.body.currency : undefined;
  const found = await newestOf(history, 'definition', { owner: company });
  return new Map(
    found.flatMap(({ value: { id, body } }): [string, string][] => {
      const { unit, unitLabel }: MetricDefinition = body as Partial<MetricDefinition> as MetricDefinition;
      const shown = shownUnit({ unit, unitLabel, currency });
      return shown === undefined ? [] : [[id, shown]];
    }),
  );
}
