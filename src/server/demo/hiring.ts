/** The hiring that the investor helps its portfolio with: 64 candidates. */
import type { SeedEntry, SeedList } from '../seed/seed-lists.ts';
import { demoCompanies, demoUsers } from './credentials.ts';
import { partners, withoutNulls } from './deals.ts';
import type { Names } from './names.ts';
import { labels, ours, today } from './portfolio.ts';
import { daysBefore, type Random, rough } from './random.ts';

const roles = [
  'Software engineer',
  'Engineering manager',
  'Product manager',
  'Designer',
  'Account executive',
  'Head of finance',
  'Data scientist',
  'Customer success lead',
];
const skills = [
  'TypeScript',
  'Python',
  'Go',
  'SQL',
  'Kubernetes',
  'Figma',
  'Enterprise sales',
  'Financial modelling',
  'Machine learning',
  'People management',
];

export function hiring(random: Random, names: Names): SeedList {
  const hirers = demoCompanies.filter(({ says }) => says.startsWith('portfolio')).map(({ name }) => name);
  return {
    ...ours,
    name: 'Hiring',
    slug: 'hiring',
    description: 'Candidates for open roles in the portfolio',
    icon: 'badge',
    color: 'mint',
    entity_type: 'candidate',
    attributes: [
      {
        name: 'Stage',
        attribute_type: 'status',
        is_required: true,
        config: labels('Applied', 'Phone screen', 'Interview', 'Offer', 'Hired', 'Rejected'),
      },
      { name: 'Role', attribute_type: 'select', config: labels(...roles) },
      { name: 'For', attribute_type: 'select', config: labels(...hirers, 'Northgate Ventures') },
      { name: 'Skills', attribute_type: 'multi_select', config: labels(...skills) },
      { name: 'Score', attribute_type: 'rating', config: { max: 5 } },
      { name: 'Experience', attribute_type: 'number', config: { min: 0, max: 50 } },
      { name: 'Salary wish', attribute_type: 'currency', config: { currency: 'USD', min: 0 } },
      { name: 'Applied on', attribute_type: 'date' },
      { name: 'Remote', attribute_type: 'checkbox' },
      { name: 'Email', attribute_type: 'email' },
      { name: 'Portfolio link', attribute_type: 'url' },
      { name: 'Referred by', attribute_type: 'text' },
    ],
    entries: Array.from({ length: 64 }, (): SeedEntry => {
      const person = names.person();
      const age = random.whole(1, 210);
      const stage =
        age > 90
          ? random.weighted({ Hired: 2, Rejected: 5 })
          : random.weighted({ Applied: 4, 'Phone screen': 3, Interview: 3, Offer: 1, Hired: 1, Rejected: 4 });
      const years = random.whole(1, 18);
      return {
        title: person.name,
        values: withoutNulls({
          stage,
          role: random.pick(roles),
          for: random.pick([...hirers, 'Northgate Ventures']),
          skills: random.some(skills, random.whole(1, 4)),
          score: stage === 'Applied' ? null : random.whole(stage === 'Rejected' ? 1 : 3, stage === 'Rejected' ? 4 : 5),
          experience: random.chance(0.5) ? years : years + 0.5,
          'salary-wish': random.chance(0.75) ? rough(70_000 + years * 6_500 + random.noise() * 15_000) : null,
          'applied-on': daysBefore(today, age),
          remote: random.chance(0.55),
          email: `${person.account}@mail.example`,
          'portfolio-link': random.chance(0.4) ? `https://${person.account.replace('.', '')}.example/work` : null,
          'referred-by': random.chance(0.3) ? random.pick(partners) : null,
        }),
        archived: stage === 'Rejected' && age > 120,
        created_by: demoUsers.partner,
        created_at: `${daysBefore(today, age)}T13:00:00.000Z`,
        updated_at: `${daysBefore(today, Math.min(age, random.whole(0, 30)))}T13:00:00.000Z`,
      };
    }),
  };
}
