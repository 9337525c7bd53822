/** The lists that can be created from a template (docs/server.md, "Templates"). */
import type { AttributeType, templateIds } from '../../contract/lists.ts';

interface TemplateAttribute {
  name: string;
  type: AttributeType;
  required?: boolean;
  /** Labels; their tones are those of the contract in turn. */
  options?: readonly string[];
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

const sectors = ['SaaS', 'Fintech', 'Health', 'Climate', 'Consumer', 'Deep tech'];
const rounds = ['Pre-seed', 'Seed', 'Series A', 'Series B', 'Growth'];

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
        options: ['Sourced', 'Meeting', 'Due diligence', 'Term sheet', 'Invested', 'Passed'],
      },
      { name: 'Sector', type: 'multi_select', options: sectors },
      { name: 'Round', type: 'select', options: rounds },
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
      { name: 'Status', type: 'status', options: ['Active', 'Exited', 'Written off'] },
      { name: 'Sector', type: 'multi_select', options: sectors },
      { name: 'Round', type: 'select', options: rounds },
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
        options: ['To contact', 'In touch', 'Partner meeting', 'Committed', 'Declined'],
      },
      { name: 'Kind', type: 'select', options: ['Fund', 'Angel', 'Family office', 'Corporate'] },
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
      { name: 'Stage', type: 'status', options: ['Applied', 'Screening', 'Interview', 'Offer', 'Hired', 'Rejected'] },
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
      { name: 'Status', type: 'status', options: ['On track', 'At risk', 'Off track', 'Done'] },
      { name: 'Quarter', type: 'text' },
      { name: 'Owner', type: 'email' },
      { name: 'Target', type: 'number' },
      { name: 'Current', type: 'number' },
      { name: 'Progress', type: 'number', min: 0, max: 100 },
      { name: 'Due', type: 'date' },
    ],
  },
};
