/** The profile that `init` makes, and the next commands that it prints. */

import { join, resolve } from 'node:path';
import type { Context } from '../cli/context.ts';
import { defineCommand, flag } from '../cli/define.ts';
import { among, askText, choose, problemIn } from '../cli/prompts.ts';
import { shellWord } from '../cli/words.ts';
import { checkName } from '../config/accounts.ts';
import { demoProfile, findProfile, updateProfiles } from '../config/profile.ts';
import { Failure, Finished, usage } from '../core/errors.ts';
import type { Column } from '../output/column.ts';

export default defineCommand({
  path: 'init',
  summary: 'Set up a profile: a company of your own, or an API',
  description:
    'Makes a profile and selects it. With --company it has a database of its own in a folder, with that company and ' +
    'nothing else; comem runs the API on it, and no server is needed. With --base-url it has the address of an API, and ' +
    'credentials are saved as `comem auth login` does.\n\n' +
    'On a terminal it asks for what is not given. The profile is named after the company unless -p names it.',
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
  examples: {
    'comem init': 'ask for everything',
    "comem init --company 'My Co' --currency EUR": 'a database for one company',
    "comem init --company 'My Co' --dir ./data -p work": 'in a folder and a profile of your choice',
    'comem init -p acme --base-url https://api.example.com --stdin key < key.txt': 'a profile for an API',
  },
  stdout: 'object',
  isLiveOnly: true,
  async run(ctx, { flags }) {
    const { origin } = ctx.settings.baseUrl;
    if (origin === 'flag') await createLogin(ctx, flags);
    else await createCompany(ctx, flags);
  },
});

interface CompanyFlags {
  company?: string | undefined;
  currency?: string | undefined;
  dir?: string | undefined;
  stdin?: string | undefined;
}

interface Created {
  profile: string;
  company: string;
  id: string;
  currency: string;
  database: string;
}

const columns: readonly Column<Created>[] = [
  { key: 'profile', heading: 'Profile', get: (row) => row.profile },
  { key: 'company', heading: 'Company', get: (row) => row.company },
  { key: 'id', heading: 'ID', type: 'id', get: (row) => row.id },
  { key: 'currency', heading: 'Currency', get: (row) => row.currency },
  { key: 'database', heading: 'Database', get: (row) => row.database },
];

/** A database of one empty company, and the profile that reads it. */
async function createCompany(ctx: Context, flags: CompanyFlags): Promise<void> {
  if (flags.stdin !== undefined) {
    throw usage('--stdin is for an API', 'give its address with --base-url');
  }
  if (flags.company === undefined && ctx.settings.input && (await chooseKind(ctx)) === 'api')
    return createLogin(ctx, flags);
  const name = (flags.company ?? (await askCompany(ctx))).trim();
  if (name === '') throw usage('--company is empty', 'give the name of the company');
  const { slugOf } = await import('../server/model/names.ts');
  const alias = slugOf(name, 'company');
  const profile = profileName(ctx, alias);
  const folder = flags.dir === undefined ? join(ctx.folders.data, profile) : resolve(ctx.runtime.cwd, flags.dir);
  const currency = flags.currency ?? (flags.company === undefined ? (await askCurrency(ctx)).toUpperCase() : 'USD');
  const company = await createDatabase(ctx, { folder, profile }, { name, currency });
  await updateProfiles(ctx.folders, (file) => {
    file.profiles[profile] = {
      baseUrl: `embedded:${folder}`,
      company: company.id,
      companies: { [alias]: company.id },
    };
    file.current = profile;
  });
  await ctx.out.value({ profile, company: name, ...company, database: folder }, columns, { id: (row) => row.id });
  noteSelected(ctx, profile);
  ctx.out.note(
    'Next: `comem lists from-template deal-pipeline`, `comem entries import LIST FILE.csv`, `comem metrics load FILE.csv`.',
  );
}

/** A profile for an API with an address: `auth login`, and then it is selected. */
async function createLogin(ctx: Context, flags: CompanyFlags): Promise<void> {
  const { settings } = ctx;
  const asksCredential = flags.stdin === undefined;
  if (flags.company !== undefined || flags.dir !== undefined || flags.currency !== undefined) {
    throw usage(
      '--base-url is of an API, and --company, --currency and --dir make a database',
      'give one or the other',
    );
  }
  const named = settings.profile.origin === 'flag' ? settings.profile.value : undefined;
  const profile =
    named ?? (asksCredential && settings.input ? await askText(ctx.runtime, nameQuestion(ctx)) : 'default');
  const words = ['auth', 'login', '-p', profile];
  if (settings.baseUrl.origin === 'flag' && settings.baseUrl.value !== undefined)
    words.push('--base-url', settings.baseUrl.value);
  if (settings.allowHttp) words.push('--allow-http');
  if (flags.stdin !== undefined) words.push('--stdin', flags.stdin);
  const code = await ctx.program.run(words, ctx.runtime);
  if (code !== 0) throw new Finished(code);
  const wasSelected = await updateProfiles(ctx.folders, (file) => {
    const { current } = file;
    file.current = profile;
    return current === profile;
  });
  if (!wasSelected) noteSelected(ctx, profile);
  ctx.out.note('Next: `comem auth status`, `comem lists list`, `comem metrics series --last 12`.');
}

function noteSelected(ctx: Context, profile: string): void {
  const { current } = ctx.profiles;
  const before = current === undefined || current === profile ? '' : ` instead of "${current}"`;
  ctx.out.note(`Commands without -p now use profile "${profile}"${before}.`);
}

function chooseKind({ runtime }: Context): Promise<'database' | 'api'> {
  return choose(runtime, {
    message: 'Where is the data?',
    find: among([
      { value: 'database' as const, name: 'In a new database on this machine' },
      { value: 'api' as const, name: 'At an API with an address and a key' },
    ]),
  });
}

function askCompany({ runtime, settings }: Context): Promise<string> {
  if (!settings.input) {
    throw usage('no terminal to ask on', "give --company 'My Co' for a new database, or --base-url for an API");
  }
  return askText(runtime, {
    message: 'Name of the company:',
    validate: (text) => (text.trim() === '' ? 'a company has a name' : true),
  });
}

function askCurrency({ runtime }: Context): Promise<string> {
  return askText(runtime, {
    message: 'Currency:',
    default: 'USD',
    validate: (text) => /^[A-Za-z]{3}$/.test(text) || 'a currency is a code such as EUR',
  });
}

function nameQuestion(ctx: Context) {
  const free = findProfile(ctx.profiles, 'default') === undefined;
  return {
    message: 'Profile:',
    ...(free && { default: 'default' }),
    validate: (text: string) => problemIn(() => requireNew(ctx, text)) ?? true,
  };
}

function profileName(ctx: Context, alias: string): string {
  const { value, origin } = ctx.settings.profile;
  const name = origin === 'flag' ? value : alias;
  requireNew(ctx, name);
  return name;
}

function requireNew(ctx: Context, name: string): void {
  checkName(name);
  if (name !== demoProfile && findProfile(ctx.profiles, name) === undefined) return;
  throw usage(`there is a profile "${name}" already`, 'name another one with -p NAME');
}

async function createDatabase(
  ctx: Context,
  { folder, profile }: { folder: string; profile: string },
  company: { name: string; currency: string },
): Promise<{ id: string; currency: string }> {
  const [{ openStore, markSeeded, asFailure }, { companiesIn }, { loadSeed }] = await Promise.all([
    import('../server/store/store.ts'),
    import('../server/store/people.ts'),
    import('../server/seed/load.ts'),
  ]);
  const store = await openStore({ dataDir: folder });
  try {
    if ((await companiesIn(store.db)).length > 0) {
      throw new Failure('usage', `${folder} has a database with companies already`, {
        hint: `use it with \`comem profiles set ${profile} base-url=embedded:${shellWord(folder)}\`, or name another --dir`,
      });
    }
    const fail = (path: string, message: string) => new Failure('bug', `${path} ${message}`);
    await loadSeed(store, () => [{ seed: { companies: [company] }, fail }], { now: ctx.runtime.now() });
    await markSeeded(store, 'init');
    return await store.db.selectFrom('companies').select(['id', 'currency']).executeTakeFirstOrThrow();
  } catch (error) {
    throw asFailure(store.engine, error);
  } finally {
    await store.close();
  }
}
