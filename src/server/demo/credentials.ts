/**
 * The credentials and companies of the demo data. They are public, so the demo is served on this machine only unless
 * somebody insists.
 */
import { demo } from '../../core/demo.ts';

export const demoCompanies: readonly { slug: string; id: string; name: string }[] = [
  { slug: 'northgate', id: demo.companies.northgate, name: 'Northgate Ventures' },
  { slug: 'lumen', id: demo.companies.lumen, name: 'Lumen Analytics' },
  { slug: 'harbor', id: demo.companies.harbor, name: 'Harbor Health' },
  { slug: 'tessera', id: demo.companies.tessera, name: 'Tessera Pay' },
  { slug: 'fieldwork', id: demo.companies.fieldwork, name: 'Fieldwork Robotics' },
  { slug: 'quill', id: demo.companies.quill, name: 'Quill Learning' },
  { slug: 'cedar', id: demo.companies.cedar, name: 'Cedar Pension Trust' },
  { slug: 'alder', id: demo.companies.alder, name: 'Alder Capital' },
];

const investor = { user: 'maya.lindqvist@northgate.example', company: 'northgate' };
const second = { user: 'jonas.weber@alder.example', company: 'alder' };

interface DemoCredential {
  name: string;
  kind: 'key' | 'oauth' | 'session';
  /** The bearer token, or the value of the session cookie. */
  secret: string;
  /** The owner's email. */
  user: string;
  /** Slug of the company that a key is bound to; for a session the one to name first. */
  company: string;
  scopes?: readonly string[];
  expiresAt?: string;
  revokedAt?: string;
  says: string;
}

const actuals = 'metrics.actuals:read';
const plans = 'metrics.plans:read';
const later = '2099-12-31T00:00:00.000Z';

export const demoCredentials: readonly DemoCredential[] = [
  {
    name: 'investor',
    kind: 'key',
    secret: demo.apiKey,
    ...investor,
    scopes: [actuals, plans],
    says: 'everything',
  },
  {
    name: 'investor session',
    kind: 'session',
    secret: demo.sessionToken,
    ...investor,
    expiresAt: later,
    says: 'everything',
  },
  {
    name: 'investor oauth',
    kind: 'oauth',
    secret: 'demo-oauth-investor-series-and-catalog',
    ...investor,
    scopes: [actuals, plans],
    expiresAt: later,
    says: 'an OAuth access token, accepted only by catalog and series',
  },
  {
    name: 'actuals only',
    kind: 'key',
    secret: 'cmk_demo_investor_actuals_only',
    ...investor,
    scopes: [actuals],
    says: 'may not read budgets and forecasts',
  },
  {
    name: 'plans only',
    kind: 'key',
    secret: 'cmk_demo_investor_plans_only',
    ...investor,
    scopes: [plans],
    says: 'may not read actuals',
  },
  {
    name: 'expired session',
    kind: 'session',
    secret: 'demo-session-investor-expired',
    ...investor,
    expiresAt: '2026-03-01T00:00:00.000Z',
    says: 'ended on 2026-03-01',
  },
  {
    name: 'revoked key',
    kind: 'key',
    secret: 'cmk_demo_investor_revoked_key',
    ...investor,
    scopes: [actuals, plans],
    revokedAt: '2026-02-14T10:30:00.000Z',
    says: 'revoked on 2026-02-14',
  },
  {
    name: 'second investor',
    kind: 'key',
    secret: 'cmk_demo_second_investor_everything',
    ...second,
    scopes: [actuals, plans],
    says: 'everything of Alder Capital, nothing of Northgate',
  },
  {
    name: 'second investor session',
    kind: 'session',
    secret: 'demo-session-second-investor',
    ...second,
    expiresAt: later,
    says: 'everything of Alder Capital, nothing of Northgate',
  },
];
