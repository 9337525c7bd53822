/** The investor's portfolio (24 companies) and its contacts (140 people). */
import type { SeedEntry, SeedList } from '../seed/seed-lists.ts';
import { demoClock, demoCompanies, demoUsers } from './credentials.ts';
import { partners, withoutNulls } from './deals.ts';
import { type Names, sectors } from './names.ts';
import { daysBefore, type Random, rough, round } from './random.ts';

export const today = demoClock.slice(0, 10);
export const labels = (...all: string[]) => ({ options: all.map((label) => ({ label })) });
export const ours = { company: 'northgate', created_by: demoUsers.investor, created_at: '2023-01-04T09:00:00.000Z' };

export function portfolio(random: Random, names: Names): SeedList {
  const reporting = demoCompanies.filter(({ says }) => says.startsWith('portfolio'));
  const others = Array.from({ length: 19 }, () => {
    const sector = random.pick(sectors);
    const { name, domain } = names.company(sector);
    return { name, domain, vertical: sector, stage: random.pick(['Seed', 'Series A', 'Series B']), currency: 'USD' };
  });
  const all = [
    ...reporting.map((company) => ({ ...company, domain: `${company.slug}.example` })),
    ...others.map((company) => ({ ...company, slug: undefined, id: undefined })),
  ];
  return {
    ...ours,
    name: 'Portfolio',
    slug: 'portfolio',
    description: 'Companies that the fund holds or held',
    icon: 'briefcase',
    color: 'sage',
    entity_type: 'company',
    attributes: [
      {
        name: 'Status',
        attribute_type: 'status',
        is_required: true,
        config: labels('Active', 'Watch', 'Exited', 'Written off'),
      },
      { name: 'Sector', attribute_type: 'select', config: labels(...new Set(all.map(({ vertical }) => vertical))) },
      { name: 'Stage', attribute_type: 'select', config: labels('Seed', 'Series A', 'Series B') },
      { name: 'Invested', attribute_type: 'currency', config: { currency: 'USD', min: 0 } },
      { name: 'Fair value', attribute_type: 'currency', config: { currency: 'USD', min: 0 } },
      { name: 'Ownership', attribute_type: 'number', config: { min: 0, max: 100 } },
      { name: 'First investment', attribute_type: 'date' },
      { name: 'Lead partner', attribute_type: 'select', config: labels(...partners) },
      { name: 'Board seat', attribute_type: 'checkbox' },
      {
        name: 'Reports',
        attribute_type: 'multi_select',
        config: labels('Monthly', 'Quarterly', 'Annual', 'Board deck'),
      },
      { name: 'Health', attribute_type: 'rating', config: { max: 5 } },
      { name: 'CEO', attribute_type: 'text' },
      { name: 'CEO email', attribute_type: 'email' },
      { name: 'Website', attribute_type: 'url' },
    ],
    entries: all.map((company): SeedEntry => {
      const status = company.id ? 'Active' : random.weighted({ Active: 12, Watch: 3, Exited: 2, 'Written off': 2 });
      const invested = rough(random.between(0.4, 5) * 1_000_000);
      const multiple =
        status === 'Written off' ? 0 : status === 'Exited' ? random.between(1.2, 6) : random.between(0.7, 3.5);
      const ceo = names.person();
      const since = daysBefore(today, random.whole(400, 1500));
      return {
        title: company.name,
        values: withoutNulls({
          status,
          sector: company.vertical,
          stage: company.stage,
          invested,
          'fair-value': rough(invested * multiple, 3),
          ownership: status === 'Exited' || status === 'Written off' ? null : round(random.between(3, 19), 2),
          'first-investment': since,
          'lead-partner': random.pick(partners),
          'board-seat': random.chance(0.45),
          reports: company.id
            ? ['Monthly', 'Quarterly']
            : random.some(['Monthly', 'Quarterly', 'Annual', 'Board deck'], random.whole(0, 2)),
          health:
            status === 'Active' || status === 'Watch'
              ? random.whole(status === 'Watch' ? 1 : 3, status === 'Watch' ? 2 : 5)
              : null,
          ceo: ceo.name,
          'ceo-email': `${ceo.account}@${company.domain}`,
          website: `https://${company.domain}`,
        }),
        archived: status === 'Written off',
        linked_entity_type: company.id ? 'company' : null,
        linked_entity_id: company.id ?? null,
        created_by: demoUsers.investor,
        created_at: `${since}T10:00:00.000Z`,
        updated_at: `${daysBefore(today, random.whole(1, 60))}T10:00:00.000Z`,
      };
    }),
  };
}

const firms = [
  'Cedar Pension Trust',
  'Harwick Foundation',
  'Polaris Family Office',
  'Bancroft Endowment',
  'Sandhill Partners',
  'Eastquay Ventures',
  'Meridian Growth',
  'Orchard Bank',
  'Torvald Industries',
  'Calder & Voss LLP',
];
const cities = [
  'Amsterdam',
  'Austin',
  'Berlin',
  'Boston',
  'Dubai',
  'Lagos',
  'Lisbon',
  'London',
  'Madrid',
  'Nairobi',
  'New York',
  'Paris',
  'San Francisco',
  'São Paulo',
  'Singapore',
  'Stockholm',
  'Tokyo',
  'Toronto',
  'Zürich',
];

export function investorCrm(random: Random, names: Names): SeedList {
  return {
    ...ours,
    name: 'Investor CRM',
    slug: 'investor-crm',
    description: 'Limited partners, co-investors and advisers',
    icon: 'people',
    color: 'steel',
    entity_type: 'person',
    attributes: [
      {
        name: 'Relationship',
        attribute_type: 'status',
        is_required: true,
        config: labels('New', 'Warm', 'Committed', 'Dormant'),
      },
      {
        name: 'Kind',
        attribute_type: 'select',
        config: labels('Limited partner', 'Co-investor', 'Adviser', 'Corporate'),
      },
      { name: 'Firm', attribute_type: 'text' },
      { name: 'City', attribute_type: 'select', config: labels(...cities) },
      { name: 'Email', attribute_type: 'email' },
      { name: 'Profile', attribute_type: 'url' },
      { name: 'Commitment', attribute_type: 'currency', config: { currency: 'USD', min: 0 } },
      { name: 'Interests', attribute_type: 'multi_select', config: labels(...sectors) },
      { name: 'Strength', attribute_type: 'rating', config: { max: 5 } },
      { name: 'Meetings', attribute_type: 'number', config: { min: 0 } },
      { name: 'Newsletter', attribute_type: 'checkbox' },
      { name: 'Last contact', attribute_type: 'date' },
      { name: 'Next touch', attribute_type: 'date' },
    ],
    entries: Array.from({ length: 140 }, (): SeedEntry => {
      const person = names.person();
      const firm = random.pick(firms);
      const kind = random.weighted({ 'Limited partner': 4, 'Co-investor': 5, Adviser: 2, Corporate: 2 });
      const relationship = random.weighted({
        New: 2,
        Warm: 4,
        Committed: kind === 'Limited partner' ? 4 : 1,
        Dormant: 3,
      });
      const quiet = relationship === 'Dormant' ? random.whole(180, 700) : random.whole(1, 150);
      const since = daysBefore(today, quiet + random.whole(10, 500));
      return {
        title: person.name,
        values: withoutNulls({
          relationship,
          kind,
          firm,
          city: random.pick(cities),
          email: random.chance(0.92) ? `${person.account}@${firm.toLowerCase().replace(/[^a-z]+/g, '')}.example` : null,
          profile: random.chance(0.7) ? `https://people.example/in/${person.account.replace('.', '-')}` : null,
          commitment:
            relationship === 'Committed' && kind === 'Limited partner'
              ? rough(random.between(0.25, 15) * 1_000_000)
              : null,
          interests: random.some(sectors, random.whole(0, 4)),
          strength: random.whole(relationship === 'Dormant' ? 1 : 2, relationship === 'Committed' ? 5 : 4),
          meetings: random.whole(0, 14),
          newsletter: random.chance(0.6),
          'last-contact': daysBefore(today, quiet),
          'next-touch': relationship === 'Dormant' ? null : daysBefore(today, random.whole(-60, 14)),
        }),
        archived: relationship === 'Dormant' && random.chance(0.3),
        created_by: random.chance(0.5) ? demoUsers.investor : demoUsers.partner,
        created_at: `${since}T11:00:00.000Z`,
        updated_at: `${daysBefore(today, Math.min(quiet, 90))}T11:00:00.000Z`,
      };
    }),
  };
}
