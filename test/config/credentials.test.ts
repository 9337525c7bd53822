import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deleteProfile, forgetSecrets, saveAccount } from '../../src/config/accounts.ts';
import { resolveCredentials } from '../../src/config/credentials.ts';
import type { GlobalFlags } from '../../src/config/global-flags.ts';
import { loadProfiles } from '../../src/config/profile.ts';
import { readSecret, secretFromCommand, secretsPath } from '../../src/config/secrets.ts';
import { resolveSettings } from '../../src/config/settings.ts';
import { type Paths, paths } from '../../src/config/store.ts';
import { demo } from '../../src/core/demo.ts';
import { demoCredentials } from '../../src/server/demo.ts';

const keyring = vi.hoisted(() => ({ works: true, kept: new Map<string, string>(), options: new Set<string>() }));

vi.mock('@napi-rs/keyring', () => ({
  Entry: class {
    constructor(
      readonly service: string,
      readonly account: string,
      options: unknown,
    ) {
      if (!keyring.works) throw new Error('no secret service\nmore');
      keyring.options.add(JSON.stringify(options));
    }
    getPassword() {
      return keyring.kept.get(this.account) ?? null;
    }
    setPassword(secret: string) {
      keyring.kept.set(this.account, secret);
    }
    deletePassword() {
      return keyring.kept.delete(this.account);
    }
  },
}));

const origin = 'https://api.example.com';
const terminal = { stdinIsTTY: false, stdoutIsTTY: false, stderrIsTTY: false };
let home: string;
let folders: Paths;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'comem-credentials-'));
  folders = paths({ XDG_CONFIG_HOME: home }, { platform: 'linux', home });
  keyring.works = true;
  keyring.kept.clear();
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function resolve(flags: GlobalFlags = {}, env: Record<string, string> = {}) {
  const profiles = loadProfiles(folders);
  return resolveCredentials(resolveSettings(flags, env, profiles, terminal), { env, paths: folders, profiles });
}

function save(storage?: 'keyring' | 'file', say: (text: string) => void = () => {}) {
  const account = { baseUrl: `${origin}/v`, origin, key: { value: 'stored-key' }, session: { value: 'a=stored' } };
  return saveAccount(folders, 'prod', account, { storage, say });
}

describe('saving', () => {
  it('prefers the keyring: no secret is in a file', async () => {
    const said = vi.fn();
    const { saved, becameCurrent } = await save(undefined, said);
    expect(saved.key).toMatchObject({ storage: 'keyring', origin });
    expect(becameCurrent).toBe(true);
    expect(said).not.toHaveBeenCalled();
    expect([...keyring.kept.values()].sort()).toEqual(['a=stored', 'stored-key']);
    expect(JSON.stringify(loadProfiles(folders))).not.toContain('stored');
    const found = resolve();
    expect(await found.key?.secret()).toBe('stored-key');
    expect(await found.session?.secret()).toBe('a=stored');
    expect(found.key).toMatchObject({ origin, from: 'profile "prod"', storage: 'keyring', source: 'profile' });
  });

  it('asks only the Secret Service on Linux, never the kernel keyring, which forgets', async () => {
    await save('keyring');
    if (process.platform === 'linux') expect([...keyring.options]).toEqual(['{"linux":{"store":"secret-service"}}']);
  });

  it('says so before it takes a file of mode 0600 instead', async () => {
    keyring.works = false;
    const said = vi.fn();
    await save(undefined, said);
    expect(said).toHaveBeenCalledWith(
      expect.stringMatching(/keyring .* does not work \(no keyring service answers\).*credentials\.json/),
    );
    expect(statSync(secretsPath(folders)).mode & 0o777).toBe(0o600);
    expect(await resolve().key?.secret()).toBe('stored-key');
  });

  it('says nothing with --storage file, and fails with --storage keyring', async () => {
    const said = vi.fn();
    await save('file', said);
    expect(said).not.toHaveBeenCalled();
    expect(keyring.kept.size).toBe(0);
    keyring.works = false;
    await expect(save('keyring')).rejects.toMatchObject({
      kind: 'credential',
      hint: expect.stringContaining('--storage file'),
    });
  });

  it('leaves nothing behind when it fails half-way', async () => {
    await save('file');
    const before = readFileSync(secretsPath(folders), 'utf8');
    const say = () => {
      throw new Error('refused');
    };
    keyring.works = false;
    await expect(save(undefined, say)).rejects.toThrow('refused');
    expect(readFileSync(secretsPath(folders), 'utf8')).toBe(before);
    expect(await resolve().key?.secret()).toBe('stored-key');
  });

  it('forgets what it replaces, what is logged out and what is deleted', async () => {
    await save('keyring');
    await save('file');
    expect(keyring.kept.size).toBe(0);
    expect(await forgetSecrets(folders, 'prod', ['session'])).toEqual({ removed: ['session'], left: [] });
    expect(resolve().session).toBeUndefined();
    expect(readFileSync(secretsPath(folders), 'utf8')).not.toContain('a=stored');
    await deleteProfile(folders, 'prod');
    expect(readFileSync(secretsPath(folders), 'utf8')).not.toContain('stored');
    expect(loadProfiles(folders)).toEqual({
      version: 1,
      profiles: {},
    });
  });

  it('says when a secret is gone or the keyring has stopped working', async () => {
    await save('keyring');
    keyring.works = false;
    await expect(resolve().key?.secret()).rejects.toMatchObject({
      kind: 'credential',
      hint: expect.stringContaining('-p prod'),
    });
    keyring.works = true;
    keyring.kept.clear();
    await expect(resolve().key?.secret()).rejects.toThrow(/no longer in the keyring/);
  });
});

describe('precedence', () => {
  it('is environment before profile, unless -p names the profile', async () => {
    await save('file');
    const env = { COMEM_API_KEY: ' from-env\n' };
    expect(await resolve({}, env).key?.secret()).toBe('from-env');
    expect(resolve({}, env).key).toMatchObject({ from: 'COMEM_API_KEY', source: 'environment' });
    expect(resolve({}, env).key?.origin).toBeUndefined();
    expect(resolve({}, env).session?.source).toBe('profile');
    expect(await resolve({ profile: 'prod' }, env).key?.secret()).toBe('stored-key');
    expect(resolve({ profile: 'demo' }, env).key).toMatchObject({ from: 'the embedded API' });
  });

  it('never gives a profile named by -p the credentials of the environment', async () => {
    await saveAccount(folders, 'bare', { baseUrl: origin, origin }, { storage: 'file', say: () => {} });
    expect(resolve({ profile: 'bare' }, { COMEM_API_KEY: 'k' }).key).toBeUndefined();
    expect(resolve({}, { COMEM_API_KEY: 'k', COMEM_PROFILE: 'bare' }).key?.source).toBe('environment');
  });

  it('takes the environment for another --base-url, where the stored ones do not go', async () => {
    await save('file');
    const flags = { profile: 'prod', baseUrl: 'https://other.example.com' };
    expect(resolve(flags, { COMEM_API_KEY: 'k' }).key?.source).toBe('environment');
    expect(resolve(flags).key).toMatchObject({ source: 'profile', origin });
    expect(resolve({ profile: 'prod', baseUrl: `${origin}/elsewhere` }, { COMEM_API_KEY: 'k' }).key?.source).toBe(
      'profile',
    );
  });

  it('refuses a file that other users can read, with the command that fixes it', async () => {
    await save('file');
    const file = secretsPath(folders);
    for (const mode of [0o644, 0o640, 0o604]) {
      chmodSync(file, mode);
      await expect(resolve({ profile: 'prod' }).key?.secret()).rejects.toMatchObject({
        kind: 'credential',
        code: 'credentials_open',
        message: `other users can read ${file} (mode 0${mode.toString(8)}), so it is not used`,
        hint: expect.stringContaining(`chmod 600 '${file}'`),
      });
    }
    chmodSync(file, 0o600);
    expect(await resolve({ profile: 'prod' }).key?.secret()).toBe('stored-key');
  });

  it('gives the demo its own, the very ones that its data holds', async () => {
    const found = resolve({ profile: 'demo' });
    expect(await found.key?.secret()).toBe(demo.apiKey);
    expect(await found.session?.secret()).toBe(demo.session);
    const secrets = demoCredentials()
      .filter(({ name }) => name.startsWith('investor'))
      .map(({ secret }) => secret);
    expect(secrets).toEqual(expect.arrayContaining([demo.apiKey, demo.sessionToken]));
    expect(resolve({ baseUrl: origin }).key).toBeUndefined();
  });
});

describe('files of the environment', () => {
  it('are read when they are needed, without the newline at their end', async () => {
    writeFileSync(join(home, 'k'), 'file-key\n');
    const found = resolve({}, { COMEM_API_KEY_FILE: join(home, 'k'), COMEM_SESSION_COOKIE_FILE: join(home, 'none') });
    expect(await found.key?.secret()).toBe('file-key');
    expect(found.key?.from).toBe('COMEM_API_KEY_FILE');
    await expect(found.session?.secret()).rejects.toMatchObject({
      kind: 'credential',
      message: expect.stringMatching(/COMEM_SESSION_COOKIE_FILE names .*none .*the file does not exist/),
    });
  });

  it('must not be empty, nor be set beside the variable itself', async () => {
    writeFileSync(join(home, 'k'), ' \n');
    await expect(resolve({}, { COMEM_API_KEY_FILE: join(home, 'k') }).key?.secret()).rejects.toThrow(/is empty/);
    const both = resolve({}, { COMEM_API_KEY: 'a', COMEM_API_KEY_FILE: join(home, 'k') });
    await expect(both.key?.secret()).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining('both set'),
    });
    expect(resolve({}, { COMEM_API_KEY: '', COMEM_API_KEY_FILE: '' }).key).toBeUndefined();
  });
});

describe('a key command', () => {
  const env = { PATH: process.env.PATH, WORD: 'from the environment' };

  it('is run at use, and what it prints is trimmed', async () => {
    const account = { baseUrl: origin, origin, key: { command: 'echo "  key-of-command " | tee used' } };
    const { saved } = await saveAccount(folders, 'cmd', account, { storage: undefined, say: () => {} });
    expect(saved.key).toMatchObject({ storage: 'command' });
    const stored = { origin, storage: 'command' as const, command: `printf ' %s\\n' "$WORD"` };
    expect(await readSecret(stored, { paths: folders, env, profile: 'cmd', kind: 'key' })).toBe('from the environment');
  });

  it.each([
    ['echo "vault is locked" >&2; exit 3', /ended with 3: vault is locked/],
    ['no-such-program-here', /ended with 127/],
    ['true', /printed nothing/],
    ['echo a; echo b', /several lines/],
  ])('fails in words: %s', async (command, message) => {
    const found = secretFromCommand(command, env);
    await expect(found).rejects.toThrow(message);
    await expect(found).rejects.toMatchObject({ kind: 'credential' });
  });

  it('is ended by an interruption', async () => {
    const controller = new AbortController();
    const found = secretFromCommand('sleep 30', env, controller.signal);
    controller.abort();
    await expect(found).rejects.toMatchObject({ kind: 'interrupted' });
  });
});
