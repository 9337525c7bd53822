import { defineCommand, flag } from '../../cli/define.ts';
import { originOf } from '../../config/settings.ts';
import { fileWarning, noteSaved } from './login-input.ts';

export default defineCommand({
  path: 'auth login',
  summary: 'Save an API key or a session for a profile',
  description: [
    'Asks for profile, base URL, API key, session cookie and default company, calls one cheap endpoint with each',
    'credential, and saves those that are accepted. Without a terminal give the profile with -p, the address with',
    '--base-url, the company with -c, and one credential on stdin. Log in twice to save both kinds.',
    '',
    'Secrets are saved in the system keyring. If none works, a warning is printed and they are saved in a file that',
    'only you can read; --storage file selects it. With --key-command no key is saved: the command prints it each time.',
    '',
    'A session is the complete Cookie header of a signed-in browser, with all chunks of a cookie (name.0, name.1).',
    'The easiest way is "Copy as cURL" in the developer tools, pasted to --stdin curl.',
  ].join('\n'),
  operations: ['getMetricCatalog', 'listLists'],
  flags: {
    stdin: flag.text('key|session|curl', 'read the API key, the Cookie header or a "Copy as cURL" line', {
      choices: ['key', 'session', 'curl'],
      also: { 'api-key-stdin': 'key', 'session-stdin': 'session', 'session-from-curl': 'curl' },
    }),
    keyCommand: flag.text('COMMAND', 'command that prints the API key when it is needed'),
    storage: flag.text('WHERE', 'where secrets are saved', { choices: ['keyring', 'file'] }),
    noCheck: flag.boolean('save without calling the API', { hidden: true }),
  },
  examples: {
    'comem auth login': 'ask for everything',
    'comem auth login -p acme --base-url https://api.example.com --stdin key < key.txt': 'ask nothing',
    'comem auth login -p acme --stdin curl < copied.txt': "add the browser's session",
    "comem auth login -p acme --key-command 'op read op://vault/comem/key'": 'save no key at all',
  },
  stdout: 'nothing',
  isLiveOnly: true,
  async run(ctx, { flags }) {
    const [{ saveAccount }, { readLogin, tryLogin }] = await Promise.all([
      import('../../config/accounts.ts'),
      import('./login-input.ts'),
    ]);
    const login = await readLogin(ctx, flags);
    const checked = flags.noCheck ? { company: login.company, unchecked: [] } : await tryLogin(ctx, login);
    const { saved, becameCurrent } = await saveAccount(
      ctx.folders,
      login.name,
      { ...login, ...checked, origin: originOf(login.baseUrl), allowHttp: ctx.settings.allowHttp },
      { storage: flags.storage as 'keyring' | 'file' | undefined, say: fileWarning(ctx) },
    );
    noteSaved(ctx, { ...login, company: checked.company }, { saved, becameCurrent, unchecked: checked.unchecked });
  },
});
