/** The lists that can be created from a template (docs/server.md, "Templates"). */
import type { AttributeType, Tone, templateIds } from '../../contract/lists.ts';

interface TemplateAttribute {
  name: string;
  type: AttributeType;
  required?: boolean;
  options?: readonly (readonly [label: string, tone: Tone])[];
  currency?: string;
  min?: number;
  max?: number;
}

export interface Template {
  name: string;
  description: string;
  icon: string;
  entityType: string;
  attributes: readonly TemplateAttribute[];
}

export const templates: Record<(typeof templateIds)[number], Template> = {
  'deal-pipeline': {
    name: 'Deal pipeline',
    description: 'Companies under consideration, from first contact to decision',
    icon: 'funnel',
    entityType: 'deal',
    attributes: [
      {
        name: 'Stage',
        type: 'status',
        options: [
          ['Sourced', 'stone'],
          ['Meeting', 'sand'],
          ['Due diligence', 'cobalt'],
          ['Term sheet', 'steel'],
          ['Invested', 'sage'],
          ['Passed', 'charcoal'],
        ],
      },
      { name: 'Sector', type: 'multi_select', options: sectors() },
      { name: 'Round', type: 'select', options: rounds() },
      { name: 'Check size', type: 'currency', currency: 'USD', min: 0 },
      { name: 'Website', type: 'url' },
      { name: 'Contact', type: 'email' },
      { name: 'Rating', type: 'rating', max: 5 },
      { name: 'Next step on', type: 'date' },
      { name: 'Notes', type: 'text' },
    ],
  },
  portfolio: {
    name: 'Portfolio',
    description: 'Companies invested in',
    icon: 'briefcase',
    entityType: 'company',
    attributes: [
      {
        name: 'Status',
        type: 'status',
        options: [
          ['Active', 'sage'],
          ['Exited', 'cobalt'],
          ['Written off', 'charcoal'],
        ],
      },
      { name: 'Sector', type: 'multi_select', options: sectors() },
      { name: 'Round', type: 'select', options: rounds() },
      { name: 'Invested', type: 'currency', currency: 'USD', min: 0 },
      { name: 'Ownership', type: 'number', min: 0, max: 100 },
      { name: 'Invested on', type: 'date' },
      { name: 'Board seat', type: 'checkbox' },
      { name: 'Website', type: 'url' },
    ],
  },
  'investor-crm': {
    name: 'Investor CRM',
    description: 'Investors to raise from, and where each conversation stands',
    icon: 'handshake',
    entityType: 'investor',
    attributes: [
      {
        name: 'Status',
        type: 'status',
        options: [
          ['To contact', 'stone'],
          ['In touch', 'sand'],
          ['Partner meeting', 'cobalt'],
          ['Committed', 'sage'],
          ['Declined', 'charcoal'],
        ],
      },
      {
        name: 'Kind',
        type: 'select',
        options: [
          ['Fund', 'steel'],
          ['Angel', 'sand'],
          ['Family office', 'taupe'],
          ['Corporate', 'cobalt'],
        ],
      },
      { name: 'Email', type: 'email' },
      { name: 'Check size', type: 'currency', currency: 'USD', min: 0 },
      { name: 'Warmth', type: 'rating', max: 5 },
      { name: 'Last contact', type: 'date' },
      { name: 'Notes', type: 'text' },
    ],
  },
  hiring: {
    name: 'Hiring',
    description: 'Candidates for open roles',
    icon: 'user-plus',
    entityType: 'candidate',
    attributes: [
      {
        name: 'Stage',
        type: 'status',
        options: [
          ['Applied', 'stone'],
          ['Screening', 'sand'],
          ['Interview', 'cobalt'],
          ['Offer', 'steel'],
          ['Hired', 'sage'],
          ['Rejected', 'charcoal'],
        ],
      },
      { name: 'Role', type: 'text', required: true },
      { name: 'Email', type: 'email' },
      { name: 'Profile', type: 'url' },
      { name: 'Expected salary', type: 'currency', currency: 'USD', min: 0 },
      { name: 'Score', type: 'rating', max: 5 },
      { name: 'Available from', type: 'date' },
      { name: 'Remote', type: 'checkbox' },
    ],
  },
  okrs: {
    name: 'OKRs',
    description: 'Objectives and their key results',
    icon: 'target',
    entityType: 'objective',
    attributes: [
      {
        name: 'Status',
        type: 'status',
        options: [
          ['On track', 'sage'],
          ['At risk', 'sand'],
          ['Off track', 'charcoal'],
          ['Done', 'cobalt'],
        ],
      },
      { name: 'Quarter', type: 'text' },
      { name: 'Owner', type: 'email' },
      { name: 'Target', type: 'number' },
      { name: 'Current', type: 'number' },
      { name: 'Progress', type: 'number', min: 0, max: 100 },
      { name: 'Due', type: 'date' },
    ],
  },
};

function sectors(): readonly (readonly [string, Tone])[] {
  return [
    ['SaaS', 'cobalt'],
    ['Fintech', 'steel'],
    ['Health', 'mint'],
    ['Climate', 'sage'],
    ['Consumer', 'sand'],
    ['Deep tech', 'taupe'],
  ];
}

function rounds(): readonly (readonly [string, Tone])[] {
  return [
    ['Pre-seed', 'stone'],
    ['Seed', 'sand'],
    ['Series A', 'cobalt'],
    ['Series B', 'steel'],
    ['Growth', 'sage'],
  ];
}
