/** The investor's deal pipeline: 400 start-ups over three and a quarter years. */
import type { SeedAttribute, SeedEntry, SeedList } from '../seed/seed-lists.ts';
import { demoClock, demoUsers } from './credentials.ts';
import { type Names, sectors } from './names.ts';
import { daysBefore, type Random, rough } from './random.ts';

export const partners = ['Maya Lindqvist', 'Omar Haddad', 'Elena Castillo', 'Kaito Tanaka'];

const today = demoClock.slice(0, 10);
const stages = ['Sourced', 'Screening', 'First meeting', 'Diligence', 'Term sheet', 'Invested', 'Passed'] as const;
const rounds = {
  'Pre-seed': [0.4, 1.5, 4],
  Seed: [1, 4, 12],
  'Series A': [5, 15, 45],
  'Series B': [15, 40, 140],
} as const;
const tags = ['AI', 'B2B', 'Marketplace', 'Hardware', 'Open source', 'Regulated', 'Vertical SaaS'];
const sources = ['Referral', 'Inbound', 'Conference', 'Accelerator', 'Outbound', 'Co-investor'];

const options = (labels: readonly string[], tones: readonly string[] = []) => ({
  options: labels.map((label, index) => ({ label, ...(tones[index] ? { tone: tones[index] as 'sage' } : {}) })),
});

const attributes: SeedAttribute[] = [
  {
    name: 'Stage',
    attribute_type: 'status',
    is_required: true,
    config: options(stages, ['stone', 'sand', 'steel', 'cobalt', 'mint', 'sage', 'taupe']),
  },
  { name: 'Sector', attribute_type: 'select', config: options(sectors) },
  { name: 'Round', attribute_type: 'select', config: options(Object.keys(rounds)) },
  { name: 'Raising', attribute_type: 'currency', config: { currency: 'USD', min: 0 } },
  { name: 'Valuation', attribute_type: 'currency', config: { currency: 'USD', min: 0 } },
  { name: 'Owner', attribute_type: 'select', config: options(partners) },
  { name: 'Source', attribute_type: 'select', config: options(sources) },
  { name: 'Tags', attribute_type: 'multi_select', config: options(tags) },
  { name: 'Conviction', attribute_type: 'rating', config: { max: 5 } },
  { name: 'Team size', attribute_type: 'number', config: { min: 1 } },
  { name: 'Warm intro', attribute_type: 'checkbox' },
  { name: 'First contact', attribute_type: 'date' },
  { name: 'Next step due', attribute_type: 'date' },
  { name: 'Founder', attribute_type: 'text' },
  { name: 'Founder email', attribute_type: 'email' },
  { name: 'Website', attribute_type: 'url' },
  { name: 'Notes', attribute_type: 'text' },
];

const passed = [
  'Market too small for the fund.',
  'Round closed before we were ready.',
  'Strong team, too early for us.',
  'Price above what the traction supports.',
  'Conflict with a portfolio company.',
];
const alive = [
  'Asked for cohort data.',
  'Reference calls with three customers this week.',
  'Second product is what makes this interesting, "not the first".',
  'Net retention above 120 %, concentrated in five accounts.',
  'Founder comes back with a bottom-up plan;\nwaiting for it.',
];

export function dealPipeline(random: Random, names: Names): SeedList {
  const ages = Array.from({ length: 400 }, () => Math.floor(random.next() ** 1.3 * 1180)).sort((a, b) => b - a);
  return {
    company: 'northgate',
    name: 'Deal pipeline',
    slug: 'deal-pipeline',
    description: 'Every company that was looked at since 2023',
    icon: 'funnel',
    color: 'cobalt',
    entity_type: 'deal',
    created_by: demoUsers.investor,
    created_at: '2023-01-04T09:00:00.000Z',
    attributes,
    entries: ages.map((age) => deal(random, names, age)),
  };
}

function deal(random: Random, names: Names, age: number): SeedEntry {
  const sector = random.pick(sectors);
  const company = names.company(sector);
  const founder = names.person();
  const stage = stageAt(random, age);
  const round = random.weighted({ 'Pre-seed': 3, Seed: 6, 'Series A': 4, 'Series B': 1 });
  const [low, high, value] = rounds[round];
  const raising = rough(random.between(low, high) * 1_000_000);
  const open = stage !== 'Passed' && stage !== 'Invested';
  const met = stage !== 'Sourced' && stage !== 'Screening';
  const contact = daysBefore(today, age);
  const quiet = Math.min(age, open ? random.whole(0, 40) : random.whole(10, 90));
  const values: Record<string, unknown> = {
    stage,
    sector,
    round,
    raising: random.chance(0.93) ? raising : null,
    valuation: met && random.chance(0.8) ? rough(value * 1_000_000 * random.between(0.6, 1.7)) : null,
    owner: random.pick(partners),
    source: random.weighted({ Referral: 6, Inbound: 5, Conference: 2, Accelerator: 3, Outbound: 3, 'Co-investor': 3 }),
    tags: random.some(tags, random.whole(0, 3)),
    conviction: met ? Math.min(5, Math.max(1, Math.round(3 + random.noise() * 1.4 + (open ? 0.5 : -0.3)))) : null,
    'team-size': random.chance(0.88)
      ? random.whole(2, round === 'Series B' ? 140 : round === 'Series A' ? 60 : 18)
      : null,
    'warm-intro': random.chance(0.4),
    'first-contact': contact,
    'next-step-due': open ? daysBefore(today, random.whole(-28, 9)) : null,
    founder: founder.name,
    'founder-email': random.chance(0.95) ? `${founder.account}@${company.domain}` : null,
    website: `https://www.${company.domain}`,
    notes: random.chance(0.45) ? random.pick(open ? alive : passed) : null,
  };
  return {
    title: company.name,
    values: withoutNulls(values),
    archived: !open && age > 540 && random.chance(0.5),
    created_by: random.chance(0.6) ? demoUsers.investor : demoUsers.partner,
    created_at: `${contact}T${String(random.whole(8, 17)).padStart(2, '0')}:${String(random.whole(10, 59))}:00.000Z`,
    updated_at: `${daysBefore(today, quiet)}T08:${String(random.whole(10, 59))}:00.000Z`,
  };
}

/** Old deals are decided, new ones are not. */
function stageAt(random: Random, age: number): (typeof stages)[number] {
  if (random.chance(Math.min(0.97, age / 150))) return random.weighted({ Passed: 22, Invested: 1 });
  if (age < 14) return random.weighted({ Sourced: 5, Screening: 3, 'First meeting': 1 });
  return random.weighted({ Screening: 3, 'First meeting': 4, Diligence: 3, 'Term sheet': 1, Passed: 4 });
}

/** Leaves out missing values and empty choices. */
export function withoutNulls(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)),
  );
}
