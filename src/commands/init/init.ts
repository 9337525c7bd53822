import { defineCommand, flag } from '../../cli/define.ts';

export default defineCommand({
  path: 'init',
  summary: 'Set up a profile: an own company, or an API',
  description:
    'Makes a profile and selects it. With --company it has a database of its own in a folder, with that company and ' +
    'nothing else; comem runs the API on it, and no server is needed. With --base-url it has the address of an API, and ' +
    'credentials are saved as `comem auth login` does.\n\n' +
    'On a terminal it asks for what is not given. The profile is named after the company unless -p names it.',
  operations: [],
  args: [],
  flags: {
    company: flag.text('NAME', 'name of the company of a new database', { short: 'c' }),
    currency: flag.text('CODE', 'its currency; default USD', {
      pattern: { source: '^[A-Z]{3}$', says: 'a code such as EUR' },
    }),
    dir: flag.text('DIR', 'folder of the database; default: one for each profile in XDG data'),
    stdin: flag.text('key|session', 'with --base-url: read the API key or the Cookie header', {
      choices: ['key', 'session'],
      also: { 'api-key-stdin': 'key', 'session-stdin': 'session' },
    }),
  },
  examples: [
    { run: 'comem init', says: 'ask for everything' },
    { run: "comem init --company 'My Co' --currency EUR", says: 'a database for one company' },
    { run: "comem init --company 'My Co' --dir ./data -p work", says: 'in a folder and a profile of your choice' },
    {
      run: 'comem init -p acme --base-url https://api.example.com --stdin key < key.txt',
      says: 'a profile for an API',
    },
  ],
  stdout: 'object',
  ofNow: true,
  async run(ctx, { flags }) {
    const { createCompany, createLogin } = await import('./create.ts');
    const { origin } = ctx.settings.baseUrl;
    if (origin === 'flag') await createLogin(ctx, flags);
    else await createCompany(ctx, flags);
  },
});
