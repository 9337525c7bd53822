/**
 * The fixed, documented values of the demo (server.md, "Demo data"): who a command acts as when the base URL is
 * `embedded:` and nothing else was said. The demo data is seeded with the same.
 */
export const demo = {
  /** The investor. */
  companyId: '5a1d0000-0000-4000-8000-000000000001',
  /** The investor's key with every scope. */
  apiKey: 'cmk_demo_investor_everything',
  /** The investor's session, as a Cookie header. */
  session: 'comem-auth-token=demo-investor-session',
  /** Where the demo's clock stands unless COMEM_NOW or `--now` says otherwise. */
  now: '2026-01-15T12:00:00.000Z',
} as const;
