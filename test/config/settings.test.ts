import { describe, expect, it } from 'vitest';
import type { GlobalFlags } from '../../src/config/global-flags.ts';
import type { ProfilesFile } from '../../src/config/profile.ts';
import { resolveSettings, type Streams } from '../../src/config/settings.ts';
import { demo } from '../../src/core/demo.ts';
import { Failure } from '../../src/core/errors.ts';

const acme = '0b7e3a52-3c1f-4b8e-9a64-8f2f5a1c0d11';
const other = '5f0c9d7e-1111-4222-8333-444455556666';
const file: ProfilesFile = {
  version: 1,
  current: 'prod',
  profiles: {
    prod: {
      baseUrl: 'https://api.example.com',
      company: acme,
      companies: { acme, zeta: other },
      output: 'yaml',
      timeout: 12,
      retries: 1,
      readonly: true,
    },
    bare: {},
    demo: { company: other, protected: true },
  },
};
const tty: Streams = { stdinIsTTY: true, stdoutIsTTY: true, stderrIsTTY: true };
const pipe: Streams = { stdinIsTTY: false, stdoutIsTTY: false, stderrIsTTY: false };

function resolve(flags: GlobalFlags = {}, env: Record<string, string> = {}, streams = tty, profiles = file) {
  return resolveSettings(flags, env, profiles, streams);
}

function failure(run: () => unknown): Failure {
  try {
    run();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('precedence', () => {
  it('uses an address with a credential without the profile in use, if that is for another address', () => {
    const key = { COMEM_API_KEY: 'cmk_x' };
    const elsewhere = { ...key, COMEM_BASE_URL: 'https://staging.example.com' };
    expect(resolve({}, elsewhere)).toMatchObject({ profile: { value: 'default' }, companies: { value: [] } });
    expect(resolve({}, elsewhere).readonly).toBe(false);
    for (const env of [
      { COMEM_BASE_URL: 'https://staging.example.com' },
      { ...key, COMEM_BASE_URL: 'https://api.example.com/' },
      { ...elsewhere, COMEM_PROFILE: 'prod' },
    ])
      expect(resolve({}, env)).toMatchObject({ profile: { value: 'prod' }, readonly: true });
  });

  it('is flag, environment, profile, default', () => {
    const env = { COMEM_BASE_URL: 'https://env.example.com/', COMEM_TIMEOUT: '5' };
    expect(resolve({ baseUrl: 'https://flag.example.com', timeout: '2' }, env)).toMatchObject({
      baseUrl: { value: 'https://flag.example.com', origin: 'flag', from: '--base-url' },
      timeoutMs: { value: 2000, origin: 'flag', from: '--timeout' },
    });
    expect(resolve({}, env)).toMatchObject({
      baseUrl: { value: 'https://env.example.com', origin: 'environment', from: 'COMEM_BASE_URL' },
      timeoutMs: { value: 5000, origin: 'environment', from: 'COMEM_TIMEOUT' },
    });
    expect(resolve()).toMatchObject({
      profile: { value: 'prod', origin: 'profile' },
      baseUrl: { value: 'https://api.example.com', origin: 'profile', from: 'profile "prod"' },
      timeoutMs: { value: 12_000, origin: 'profile' },
      retries: { value: 1, origin: 'profile' },
      readonly: true,
    });
    expect(resolve({}, {}, tty, { version: 1, profiles: {} })).toMatchObject({
      profile: { value: 'default', origin: 'default' },
      profileExists: true,
      baseUrl: { value: undefined, origin: 'default' },
      companies: { value: [], origin: 'default' },
      timeoutMs: { value: 30_000, origin: 'default' },
      retries: { value: 3, origin: 'default' },
      readonly: false,
    });
  });

  it('lets a profile named by -p outrank base URL and company of the environment, but not its other settings', () => {
    const env = { COMEM_BASE_URL: 'https://env.example.com', COMEM_COMPANY_ID: acme, COMEM_RETRIES: '9' };
    expect(resolve({ profile: 'demo' }, env)).toMatchObject({
      baseUrl: { value: 'embedded:', origin: 'profile' },
      companies: { value: [other], origin: 'profile' },
      retries: { value: 9, origin: 'environment' },
      protected: true,
    });
    const bare = resolve({ profile: 'bare' }, env);
    expect(bare.baseUrl.value).toBeUndefined();
    expect(bare.companies.value).toEqual([]);
    expect(resolve({ profile: 'demo', baseUrl: 'http://localhost:1' }).baseUrl.origin).toBe('flag');
  });

  it('takes COMEM_PROFILE as environment: the base URL beside it still counts', () => {
    const found = resolve({}, { COMEM_PROFILE: 'demo', COMEM_BASE_URL: 'https://env.example.com' });
    expect(found.profile).toEqual({ value: 'demo', origin: 'environment', from: 'COMEM_PROFILE' });
    expect(found.baseUrl.value).toBe('https://env.example.com');
  });

  it('knows a chosen profile that does not exist, inherited names of objects too', () => {
    expect(resolve({ profile: 'nope' }).profileExists).toBe(false);
    expect(resolve({ profile: 'constructor' }).profileExists).toBe(false);
    expect(resolve({}, { COMEM_PROFILE: 'nope' }).profileExists).toBe(false);
    expect(resolve({ profile: 'demo' }).profileExists).toBe(true);
  });
});

describe('output', () => {
  it('follows flag, extension of --out, environment, profile on a terminal', () => {
    const env = { COMEM_OUTPUT: 'tsv' };
    expect(resolve({ output: 'md', out: 'a.csv' }, env).output).toMatchObject({ value: 'md', from: '--output' });
    expect(resolve({ json: true, out: 'a.csv' }, env).output).toMatchObject({ value: 'json', from: '--json' });
    expect(resolve({ out: 'dir/a.JSONL' }, env).output).toMatchObject({ value: 'ndjson', from: '--out' });
    expect(resolve({ out: 'a.txt' }, env).output).toMatchObject({ value: 'tsv', from: 'COMEM_OUTPUT' });
    expect(resolve().output).toMatchObject({ value: 'yaml', origin: 'profile' });
    expect(resolve({}, {}, pipe).output).toMatchObject({ value: undefined, origin: 'default' });
    expect(resolve({ jq: '.' }, env).output).toMatchObject({ value: 'json', from: '--jq' });
  });

  it.each<[GlobalFlags, Record<string, string>, RegExp]>([
    [{}, { COMEM_OUTPUT: 'exel' }, /COMEM_OUTPUT: unknown output format "exel"/],
    [{ output: 'jsn' }, {}, /--output: unknown output format "jsn"/],
    [{ json: true, output: 'csv' }, {}, /csv and json/],
    [{ json: true, output: 'table' }, {}, /table and json/],
    [{ jq: '.', output: 'csv' }, {}, /--jq .* -o csv/],
    [{ raw: true, fields: 'a' }, {}, /--raw .* --fields/],
    [{ raw: true, jq: '.' }, {}, /--raw .* --jq/],
    [{ raw: true, json: true }, {}, /--raw .* -o/],
    [{ fields: 'a,,b' }, {}, /--fields/],
  ])('refuses %j %j', (flags, env, message) => {
    const found = failure(() => resolve(flags, env));
    expect(found.kind).toBe('usage');
    expect(found.message).toMatch(message);
  });

  it('takes the same format said twice, and a tab by name', () => {
    expect(resolve({ json: true, output: 'json' }).output.value).toBe('json');
  });
});

describe('companies', () => {
  it("fall back to the demo company on an embedded API, but not beside credentials of one's own", () => {
    const none: ProfilesFile = { version: 1, profiles: {} };
    const found = resolve({ profile: 'demo' }, {}, tty, none).companies;
    expect(found).toEqual({ value: [demo.companyId], origin: 'default', from: 'the demo' });
    // The folder may hold another company, which the API names.
    expect(resolve({ baseUrl: 'embedded:x' }, {}, tty, none).companies.value).toEqual([]);
    expect(resolve({ baseUrl: 'embedded:x' }, { COMEM_API_KEY: 'k' }, tty, none).companies.value).toEqual([]);
    expect(resolve({ baseUrl: 'https://example.com' }, {}, tty, none).companies.value).toEqual([]);
  });

  it('resolves aliases of the profile, never a uuid', () => {
    expect(resolve({ company: ['zeta', acme] }).companies).toEqual({
      value: [other, acme],
      origin: 'flag',
      from: '--company',
    });
    expect(resolve({}, { COMEM_COMPANY_ID: 'zeta' }).companies).toMatchObject({
      value: [other],
      origin: 'environment',
    });
  });

  it('names the aliases when one is unknown', () => {
    const found = failure(() => resolve({ company: ['acmee'] }));
    expect(found).toMatchObject({ kind: 'notFound', hint: 'did you mean acme? its aliases are acme, zeta' });
    expect(found.message).toContain('--company: profile "prod" has no company "acmee"');
    expect(failure(() => resolve({ company: ['constructor'] })).kind).toBe('notFound');
  });
});

describe('values', () => {
  it.each<[Record<string, string>, RegExp]>([
    [{ COMEM_TIMEOUT: 'soon' }, /COMEM_TIMEOUT must be a number of seconds .* "soon"/],
    [{ COMEM_TIMEOUT: '0' }, /COMEM_TIMEOUT/],
    [{ COMEM_TIMEOUT: '-1' }, /COMEM_TIMEOUT/],
    [{ COMEM_TIMEOUT: '1e3' }, /COMEM_TIMEOUT/],
    [{ COMEM_RETRIES: '1.5' }, /COMEM_RETRIES must be a whole number .* "1.5"/],
    [{ COMEM_BASE_URL: 'example.com' }, /COMEM_BASE_URL must start with https/],
    [{ COMEM_BASE_URL: 'ftp://example.com' }, /COMEM_BASE_URL must start with/],
    [{ COMEM_BASE_URL: 'https://a:b@example.com' }, /user name or password/],
    [{ COMEM_BASE_URL: 'https://example.com/?a=1' }, /query/],
    [{ COMEM_BASE_URL: 'https://' }, /COMEM_BASE_URL is not a valid address/],
  ])('refuses %j', (env, message) => {
    const found = failure(() => resolve({}, env));
    expect(found.kind).toBe('usage');
    expect(found.message).toMatch(message);
  });

  it('keeps path prefixes and embedded addresses', () => {
    expect(resolve({ baseUrl: 'https://example.com/base/' }).baseUrl.value).toBe('https://example.com/base');
    expect(resolve({ baseUrl: 'embedded:./here' }).baseUrl.value).toBe('embedded:./here');
    expect(resolve({ baseUrl: 'HTTPS://Example.COM' }).baseUrl.value).toBe('https://example.com');
  });
});

describe('prompts', () => {
  it('need a terminal, and no word against them', () => {
    expect(resolve().input).toBe(true);
    expect(resolve({}, { CI: 'false' }).input).toBe(true);
    const off: Record<string, string>[] = [{ CI: 'true' }, { CI: '1' }, { COMEM_NO_INPUT: '1' }];
    for (const env of off) expect(resolve({}, env).input).toBe(false);
    expect(resolve({ noInput: true }).input).toBe(false);
    expect(resolve({}, {}, { ...tty, stdinIsTTY: false }).input).toBe(false);
    expect(resolve({}, {}, { ...tty, stderrIsTTY: false }).input).toBe(false);
    expect(resolve({}, {}, { ...tty, stdoutIsTTY: false }).input).toBe(true);
  });
});
