/**
 * The fixed values of the demo (docs/server.md, "Demo data"): the credentials and company of a command on an `embedded:`
 * base URL without other settings. The demo data contains the same.
 */
const id = (last: string) => `c0ffee00-0000-4000-8000-0000000000${last}`;
const sessionToken = 'demo-session-investor-everything';

export const demo = {
  companyId: id('01'),
  /** Every company by its slug, which is its alias in the profile `demo`. */
  companies: {
    northgate: id('01'),
    lumen: id('11'),
    harbor: id('12'),
    tessera: id('13'),
    fieldwork: id('14'),
    quill: id('15'),
    cedar: id('21'),
    alder: id('31'),
  },
  groups: { portfolio: [id('11'), id('12'), id('13'), id('14'), id('15')] },
  apiKey: 'cmk_demo_investor_everything',
  sessionToken,
  session: `comem-auth-token=${sessionToken}`,
  /** The clock of the demo, unless another one is set. */
  now: '2026-03-31T09:00:00.000Z',
} as const;
