import { describe, expect, it } from 'vitest';
import { baseUrl, company, key, session, useAccount } from './scripted-account.ts';

const { comem } = useAccount();
const loginKey = () => comem(`auth login --base-url ${baseUrl} --api-key-stdin --storage file`, { stdin: key });
const loginSession = () => comem(`auth login --session-stdin --storage file`, { stdin: session });

function rowsOf(stdout: string): Record<string, { value: unknown; origin: string; from: string; note: string | null }> {
  const rows = JSON.parse(stdout) as { setting: string; value: unknown; origin: string; from: string; note: string }[];
  return Object.fromEntries(rows.map(({ setting, ...rest }) => [setting, rest]));
}

describe('auth status', () => {
  it('says of each value where it came from, sends nothing, and shows four characters of a secret', async () => {
    await loginKey();
    await loginSession();
    const env = { COMEM_API_KEY: 'cmk_from_environment', COMEM_TIMEOUT: '7' };
    const status = await comem('auth status --json --retries 5', { env });
    expect(status).toMatchObject({ code: 0, requests: [] });
    expect(rowsOf(status.stdout)).toMatchObject({
      profile: { value: 'default', origin: 'profile' },
      'base URL': { value: baseUrl, origin: 'profile', from: 'profile "default"' },
      company: { value: company, origin: 'profile' },
      'API key': { value: '…ment', origin: 'environment', from: 'COMEM_API_KEY', note: null },
      'session cookie': { value: '…dark', origin: 'profile', from: 'profile "default" (file)' },
      timeout: { value: 7, origin: 'environment', from: 'COMEM_TIMEOUT' },
      retries: { value: 5, origin: 'flag', from: '--retries' },
      readonly: { value: false, origin: 'default' },
    });
    expect(status.stdout + status.stderr).not.toContain('from_environment');
  });

  it('works with nothing set up, and says what to do', async () => {
    const status = await comem('auth status');
    expect(status.code).toBe(0);
    expect(status.stdout.split('\n')[0]).toBe('setting\tvalue\torigin\tfrom\tnote');
    expect(status.stderr).toContain('comem auth login');
  });

  it('is a table on a terminal', async () => {
    const status = await comem('auth status -p demo', { tty: true, columns: 100 });
    expect(status.stdout).toMatch(/^Setting +Value +From +Note/);
    expect(status.stdout).toMatch(/API key +built in +the embedded API/);
  });

  it('says when a credential does not go to this address', async () => {
    await loginKey();
    const status = await comem('auth status --json --base-url https://other.example.com');
    expect(rowsOf(status.stdout)['API key']?.note).toBe(`saved for ${baseUrl}: not sent to https://other.example.com`);
  });

  it('runs no key command unless it checks', async () => {
    const more = ['--base-url', baseUrl, '--no-check', '--key-command', `echo ${key}`];
    await comem(['auth', 'login', ...more]);
    const env = { PATH: process.env.PATH };
    expect(rowsOf((await comem('auth status --json', { env })).stdout)['API key']).toMatchObject({
      value: null,
      note: 'printed by a command when it is used',
    });
    expect(rowsOf((await comem('auth status --json --check', { env })).stdout)['API key']).toMatchObject({
      value: '…1234',
      note: 'accepted',
    });
  });
});

describe('auth status --check', () => {
  it('calls one endpoint of each kind', async () => {
    await loginKey();
    await loginSession();
    const status = await comem('auth status --check --json');
    expect(status.code).toBe(0);
    expect(status.requests.map(({ path }) => path)).toEqual(['/api/metrics/catalog', '/api/lists']);
    expect(rowsOf(status.stdout)).toMatchObject({
      'API key': { note: 'accepted' },
      'session cookie': { note: 'accepted' },
    });
  });

  it('exits 4 when one is refused, and shows both', async () => {
    await loginKey();
    await loginSession();
    const status = await comem('auth status --check --json', { env: { COMEM_API_KEY: 'cmk_refused_key' } });
    expect(status.code).toBe(4);
    const rows = rowsOf(status.stdout);
    expect(rows['API key']?.note).toContain('who are you?');
    expect(rows['session cookie']?.note).toBe('accepted');
    expect(JSON.parse(status.stderr)).toMatchObject({ error: { status: 401, exitCode: 4 } });
  });

  it('exits 4 when there is nothing to check', async () => {
    const status = await comem(`auth status --check --base-url ${baseUrl}`);
    expect(status.code).toBe(4);
    expect(status.stderr).toContain('no API key and no session to check');
  });

  it('exits 2 when the profile does not exist', async () => {
    expect(await comem('auth status --check -p nope')).toMatchObject({ code: 2, stdout: '' });
    expect((await comem('auth status -p nope')).stdout).toContain('does not exist');
  });
});

describe('auth logout', () => {
  it('forgets one or both, and keeps the profile', async () => {
    await loginKey();
    await loginSession();
    const one = await comem('auth logout --session');
    expect(one).toMatchObject({ code: 0, stdout: '' });
    expect(one.stderr).toContain('Removed the session cookie of profile "default"');
    const profile = () => comem('profiles get --json').then(({ stdout }) => JSON.parse(stdout));
    expect(await profile()).toMatchObject({ key: { storage: 'file' }, baseUrl });
    expect(await profile()).not.toHaveProperty('session');
    const both = await comem('auth logout', { env: { COMEM_API_KEY: 'x' } });
    expect(both.stderr).toContain('Removed the API key');
    expect(both.stderr).toContain('COMEM_API_KEY is still set');
    expect(await profile()).not.toHaveProperty('key');
    const again = await comem('auth logout');
    expect(again.code).toBe(0);
    expect(again.stderr).toContain('nothing to remove');
  });

  it('makes no profile, and knows none that does not exist', async () => {
    expect((await comem('auth logout')).code).toBe(0);
    expect((await comem('auth logout -p nope')).code).toBe(3);
    expect((await comem('profiles list -o id')).stdout).toBe('demo\n');
  });
});
