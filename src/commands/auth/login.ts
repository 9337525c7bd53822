import { defineCommand, flag } from '../../cli/define.ts';
import { saveAccount } from '../../config/accounts.ts';
import { originOf } from '../../config/base-url.ts';
import { tryLogin } from './login-check.ts';
import { readLogin } from './login-input.ts';
import { saidOnce, saidSaved } from './login-words.ts';

export default defineCommand({
  path: 'auth login',
  summary: 'Save an API key or a session for a profile',
  description: [
    'Asks for profile, base URL, API key, session cookie and default company, calls one cheap endpoint with each',
    'credential, and saves what was accepted. Every answer can be given without a terminal instead: the profile with',
    '-p, the address with --base-url, the company with -c, one credential on stdin. Log in twice to keep both kinds.',
    '',
    'Secrets go into the keyring of the system where one works; else, after a warning, into a file that only you can',
    'read (--storage file says so in advance). With --key-command nothing is kept: the command prints the key each time.',
    '',
    'A session is the whole Cookie header of a signed-in browser; chunked cookies (name.0, name.1) all belong to it.',
    'Easiest is "Copy as cURL" of a request in the developer tools, pasted to --session-from-curl.',
  ].join('\n'),
  operations: ['getMetricCatalog', 'listLists'],
  args: [],
  flags: {
    apiKeyStdin: flag.boolean('read the API key from stdin'),
    sessionStdin: flag.boolean('read the Cookie header from stdin'),
    sessionFromCurl: flag.boolean('read a "Copy as cURL" line from stdin and take its cookies'),
    keyCommand: flag.text('COMMAND', 'run this whenever the API key is needed; it prints the key'),
    storage: flag.text('WHERE', 'where secrets are kept', { choices: ['keyring', 'file'] }),
    noCheck: flag.boolean('save without calling the API'),
  },
  examples: [
    { run: 'comem auth login', says: 'asks for everything' },
    {
      run: 'comem auth login -p acme --base-url https://api.example.com --api-key-stdin < key.txt',
      says: 'asks nothing',
    },
    { run: 'comem auth login -p acme --session-from-curl < copied.txt', says: "adds the browser's session" },
    { run: "comem auth login -p acme --key-command 'op read op://vault/comem/key'", says: 'keeps no key at all' },
  ],
  stdout: 'nothing',
  async run(ctx, { flags }) {
    const login = await readLogin(ctx, flags);
    const found = flags.noCheck ? { company: login.company, unchecked: [] } : await tryLogin(ctx, login);
    const { saved, becameCurrent } = await saveAccount(
      ctx.folders,
      login.name,
      { ...login, ...found, origin: originOf(login.baseUrl), allowHttp: ctx.settings.allowHttp },
      { storage: storageOf(flags.storage), say: saidOnce(ctx) },
    );
    saidSaved(ctx, { ...login, company: found.company }, { saved, becameCurrent, unchecked: found.unchecked });
  },
});

function storageOf(text: string | undefined): 'keyring' | 'file' | undefined {
  return text === 'keyring' || text === 'file' ? text : undefined;
}
