/** The demo data as a seed: the same at every start (docs/server.md, "Demo data"). */
import type { Seed, SeedSession, SeedToken, SeedUser } from '../seed/seed.ts';
import type { SeedList, SeedView } from '../seed/seed-lists.ts';
import { demoCatalog } from './catalog.ts';
import { type DemoCredential, demoClock, demoCompanies, demoCredentials, demoUsers } from './credentials.ts';
import { dealPipeline } from './deals.ts';
import { hiring } from './hiring.ts';
import { Names } from './names.ts';
import { investorCrm, portfolio } from './portfolio.ts';
import { Random } from './random.ts';
import { fundPoints, portfolioSeries } from './series.ts';
import { demoGrants, demoPreferences, founders, publications } from './sharing.ts';

const born = '2022-02-01T09:00:00.000Z';

export function demoSeed(): Seed {
  const random = new Random(20_260_331);
  const names = new Names(random);
  const series = portfolioSeries();
  return {
    clock: demoClock,
    companies: demoCompanies.map(({ says: _, ...company }) => ({ ...company, created_at: born })),
    users,
    keys: demoCredentials.filter(({ kind }) => kind === 'key').map(token),
    tokens: demoCredentials.filter(({ kind }) => kind === 'oauth').map(token),
    sessions: demoCredentials.filter(({ kind }) => kind === 'session').map(session),
    lists: [
      inOrder(dealPipeline(random, names)),
      inOrder(portfolio(random, names)),
      inOrder(investorCrm(random, names)),
      inOrder(hiring(random, names)),
      {
        company: 'alder',
        name: 'Prospects',
        slug: 'prospects',
        entity_type: 'deal',
        created_by: demoUsers.second,
        created_at: born,
        attributes: [{ name: 'Website', attribute_type: 'url' }],
        entries: [{ title: 'Halcyon Works', values: { website: 'https://halcyon.example' }, created_at: born }],
      },
    ],
    views,
    catalog: demoCatalog,
    points: [...series.flatMap(({ points }) => points), ...fundPoints(series), ...alderPoints()],
    publications: publications(series),
    grants: demoGrants,
    preferences: demoPreferences,
  };
}

/** Nothing happens after the demo's clock, and nothing is changed before it is created. */
function inOrder(list: SeedList): SeedList {
  const earliest = (...stamps: (string | undefined)[]) => stamps.filter((stamp) => stamp !== undefined).sort()[0];
  const entries = list.entries?.map((entry) => {
    const created = earliest(entry.created_at, demoClock) ?? demoClock;
    const updated = earliest(entry.updated_at, demoClock) ?? created;
    return { ...entry, created_at: created, updated_at: updated < created ? created : updated };
  });
  const attributes = list.attributes?.map((attribute) => ({ created_at: list.created_at ?? born, ...attribute }));
  return { ...list, ...(attributes && { attributes }), ...(entries && { entries }) };
}

const portfolioSlugs = founders.map(({ slug }) => slug);

const users: SeedUser[] = [
  { email: demoUsers.investor, name: 'Maya Lindqvist', companies: ['northgate', ...portfolioSlugs], created_at: born },
  { email: demoUsers.partner, name: 'Omar Haddad', companies: ['northgate'], created_at: born },
  { email: demoUsers.limitedPartner, name: 'Ruth Aldana', companies: ['cedar'], created_at: born },
  { email: demoUsers.second, name: 'Jonas Weber', companies: ['alder'], created_at: born },
  ...founders.map(({ slug, email }) => ({ email, companies: [slug], created_at: born })),
];

const views: SeedView[] = [
  {
    company: 'northgate',
    name: 'Artificial intelligence',
    icon: 'sparkles',
    filters: { tags: ['ai'] },
    is_pinned: true,
    created_by: demoUsers.investor,
    created_at: '2025-06-02T09:00:00.000Z',
  },
  {
    company: 'northgate',
    name: 'New this year',
    icon: 'calendar',
    filters: { date_from: '2026-01-01' },
    created_by: demoUsers.partner,
    created_at: '2026-01-05T09:00:00.000Z',
  },
  {
    company: 'northgate',
    name: 'Watch list',
    icon: 'eye',
    filters: { status: ['watch'] },
    created_by: demoUsers.investor,
    created_at: '2025-09-15T09:00:00.000Z',
  },
];

function token({ name, secret, user, company, scopes, expiresAt, revokedAt }: DemoCredential): SeedToken {
  return {
    name,
    secret,
    user,
    company,
    scopes: [...(scopes ?? [])],
    created_at: born,
    expires_at: expiresAt ?? null,
    revoked_at: revokedAt ?? null,
  };
}

function session({ secret, user, expiresAt }: DemoCredential): SeedSession {
  return { secret, user, created_at: born, expires_at: expiresAt ?? null };
}

/** Enough to see that the second investor's numbers are its own. */
function alderPoints(): NonNullable<Seed['points']> {
  return ['2025-11', '2025-12', '2026-01', '2026-02'].map((period, index) => ({
    company: 'alder',
    period,
    version: 'actual' as const,
    metrics: { mrr: 41_000 + index * 1_250, headcount: 6 },
    source: 'manual',
    updated_at: `${period}-28T12:00:00.000Z`,
  }));
}
