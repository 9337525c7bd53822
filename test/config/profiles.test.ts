import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { editProfile, renameProfile } from '../../src/config/accounts.ts';
import { loadProfiles, profilesPath, updateProfiles } from '../../src/config/profile.ts';
import { type Paths, paths, withLock } from '../../src/config/store.ts';

let home: string;
let folders: Paths;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'comem-profiles-'));
  folders = paths({ XDG_CONFIG_HOME: join(home, 'config') }, { platform: 'linux', home });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('paths', () => {
  it('are XDG folders, and the profile folders of Windows', () => {
    const linux = { platform: 'linux', home: '/home/a' };
    expect(paths({}, linux)).toEqual({
      config: '/home/a/.config/comem',
      data: '/home/a/.local/share/comem',
      cache: '/home/a/.cache/comem',
      state: '/home/a/.local/state/comem',
    });
    expect(paths({ XDG_CONFIG_HOME: '/x', XDG_DATA_HOME: 'relative' }, linux)).toMatchObject({
      config: '/x/comem',
      data: '/home/a/.local/share/comem',
    });
    const windows = paths({ APPDATA: '/R', LOCALAPPDATA: '/L' }, { platform: 'win32', home: '/U' });
    expect(windows).toEqual({
      config: '/R/comem/config',
      data: '/L/comem/data',
      cache: '/L/comem/cache',
      state: '/L/comem/state',
    });
  });
});

describe('the settings file', () => {
  it('is empty before anything was saved, and reading makes no file', () => {
    expect(loadProfiles(folders)).toEqual({ version: 1, profiles: {} });
    expect(readdirSync(home)).toEqual([]);
  });

  it('is written with mode 0600 in a folder of mode 0700, which is narrowed when it was wider', async () => {
    mkdirSync(folders.config, { recursive: true, mode: 0o755 });
    await editProfile(folders, 'a.b', (profile) => {
      profile.baseUrl = 'https://example.com';
    });
    expect(statSync(profilesPath(folders)).mode & 0o777).toBe(0o600);
    expect(statSync(folders.config).mode & 0o777).toBe(0o700);
    expect(loadProfiles(folders).profiles).toEqual({ 'a.b': { baseUrl: 'https://example.com' } });
    expect(readdirSync(folders.config)).toEqual(['config.json']);
  });

  it('loses none of many writes at once', async () => {
    const names = Array.from({ length: 25 }, (_, index) => `p${index}`);
    await Promise.all(
      names.map((name) =>
        updateProfiles(folders, async (file) => {
          await sleep(1);
          file.profiles[name] = { retries: 1 };
        }),
      ),
    );
    expect(Object.keys(loadProfiles(folders).profiles).sort()).toEqual([...names].sort());
  });

  it('stays as it was when a change throws', async () => {
    await editProfile(folders, 'a', () => {});
    const before = readFileSync(profilesPath(folders), 'utf8');
    const broken = updateProfiles(folders, (file) => {
      file.profiles.b = {};
      throw new Error('no');
    });
    await expect(broken).rejects.toThrow('no');
    expect(readFileSync(profilesPath(folders), 'utf8')).toBe(before);
    expect(readdirSync(folders.config)).toEqual(['config.json']);
  });

  it('keeps fields that it does not know', async () => {
    mkdirSync(folders.config, { recursive: true });
    writeFileSync(profilesPath(folders), '{"version":1,"later":{"x":1},"profiles":{"a":{"color":"red"}}}');
    await renameProfile(folders, 'a', 'b');
    expect(JSON.parse(readFileSync(profilesPath(folders), 'utf8'))).toEqual({
      version: 1,
      later: { x: 1 },
      profiles: { b: { color: 'red' } },
    });
  });

  it.each([
    ['{"version":1,', /config\.json is not valid JSON/],
    ['[]', /not valid: must be an object/],
    ['{"name":"other program"}', /"version" is required/],
    ['{"version":2,"profiles":{}}', /"version" must be 1$/],
    ['{"version":1}', /"profiles" is required/],
    ['{"version":1,"current":3,"profiles":{}}', /"current" must be a string/],
    ['{"version":1,"profiles":{"a":{"readonly":"yes"}}}', /"profiles.a.readonly" must be a boolean/],
    ['{"version":1,"profiles":{"a":{"key":{"storage":"file"}}}}', /"profiles.a.key" matches none of the allowed forms/],
    ['{"version":1,"profiles":{"a":{"companies":{"x":1}}}}', /"profiles.a.companies.x" must be a string/],
  ])('names the file when it holds %s, and is not overwritten', async (text, message) => {
    mkdirSync(folders.config, { recursive: true });
    writeFileSync(profilesPath(folders), text);
    expect(() => loadProfiles(folders)).toThrow(message);
    expect(() => loadProfiles(folders)).toThrow(profilesPath(folders));
    await expect(editProfile(folders, 'a', () => {})).rejects.toMatchObject({ kind: 'usage', code: 'settings_file' });
    expect(readFileSync(profilesPath(folders), 'utf8')).toBe(text);
  });
});

it('reads no settings file that is a pipe, which would wait for somebody who writes', () => {
  mkdirSync(folders.config, { recursive: true });
  execFileSync('mkfifo', [profilesPath(folders)]);
  expect(() => loadProfiles(folders)).toThrow(/cannot be read: it is not a regular file/);
});

describe('the lock', () => {
  it('lets one in at a time, and is gone afterwards', async () => {
    const file = join(home, 'x.lock');
    let inside = 0;
    let most = 0;
    const work = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await sleep(2);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 8 }, () => withLock(file, work)));
    expect(most).toBe(1);
    expect(readdirSync(home)).toEqual([]);
  });

  it('is taken over from a process that was killed', async () => {
    const file = join(home, 'x.lock');
    writeFileSync(file, 'of a dead process');
    const done = await Promise.all([withLock(file, () => 'a'), withLock(file, () => 'b')]);
    expect(done).toEqual(['a', 'b']);
    expect(readdirSync(home)).toEqual([]);
  });
});
