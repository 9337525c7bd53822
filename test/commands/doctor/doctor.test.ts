import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/commands/doctor.ts';
import { TransportError } from '../../../src/core/errors.ts';
import type { Transport } from '../../../src/core/wire.ts';
import { baseUrl, company, key, session, useAccount } from '../auth/scripted-account.ts';

const { comem, place } = useAccount();
const account = {
  COMEM_BASE_URL: baseUrl,
  COMEM_API_KEY: key,
  COMEM_SESSION_COOKIE: session,
  COMEM_COMPANY_ID: company,
  COMEM_NOW: undefined,
};

function findings(stdout: string): Record<string, Finding> {
  return Object.fromEntries((JSON.parse(stdout) as Finding[]).map((row) => [row.check, row]));
}

function answering(status: number, body: string, headers: Record<string, string> = {}): Transport {
  return async () => ({ status, headers, body: Buffer.from(body) });
}

const refusal = JSON.stringify({ error: 'who are you?', status: 401 });
// What the tests' clock says when COMEM_NOW is not set.
const now = Date.parse('2026-03-31T09:00:00Z');
const at = (seconds: number) => ({ date: new Date(now + seconds * 1000).toUTCString() });

describe('doctor', () => {
  it('works with nothing set up and no network: nothing is wrong then', async () => {
    const { code, stdout, requests } = await comem('doctor --json', { network: true });
    expect({ code, requests }).toEqual({ code: 0, requests: [] });
    expect(findings(stdout)).toMatchObject({
      Node: { status: 'ok', found: expect.stringContaining(process.versions.node) },
      'settings file': { status: 'ok', found: expect.stringContaining('does not exist yet') },
      'embedded database': { status: 'ok' },
      'base URL': { status: 'note', advice: expect.stringContaining('comem auth login') },
      'API key': { status: 'skipped' },
    });
  });

  it('asks once without a credential and once with each', async () => {
    const { code, stdout, requests } = await comem('doctor --json', { env: account });
    expect(code).toBe(0);
    expect(requests.map(({ path, headers }) => [path, headers.authorization, headers.cookie])).toEqual([
      ['/api/metrics/catalog', undefined, undefined],
      ['/api/metrics/catalog', `Bearer ${key}`, undefined],
      ['/api/lists', undefined, session],
    ]);
    expect(findings(stdout)).toMatchObject({
      'base URL': { status: 'ok' },
      company: { status: 'ok' },
      'API key': { status: 'ok', found: 'accepted; from COMEM_API_KEY' },
      'session cookie': { status: 'ok' },
    });
    expect(stdout).not.toContain(key);
  });

  it('exits 1 when a credential is refused, and says what to do', async () => {
    const { code, stdout, stderr } = await comem('doctor --json', { env: { ...account, COMEM_API_KEY: 'cmk_other' } });
    expect(code).toBe(1);
    expect(findings(stdout)).toMatchObject({ 'API key': { status: 'wrong' }, 'session cookie': { status: 'ok' } });
    const { error } = JSON.parse(stderr);
    expect(error).toMatchObject({ exitCode: 1, message: expect.stringContaining('found a problem: API key') });
    expect(error.hint).toContain('the key is that of COMEM_API_KEY; see with `comem auth status`');
  });

  it.each([
    ['an HTML page', answering(200, '<html>'), "not the API's JSON"],
    ['a redirect', answering(302, '', { location: 'https://login.example.com/?token=x' }), 'redirects to'],
    ['nothing there', answering(404, '{"error":"no","status":404}'), 'no API found there'],
    ['trouble', answering(503, '{"error":"no","status":503}'), 'the server has a problem'],
  ])('tells %s from an API, and sends no credential there', async (_, transport, says) => {
    const { code, stdout, requests } = await comem('doctor --json', { env: account, transport });
    expect(code).toBe(1);
    expect(requests).toHaveLength(1);
    const found = findings(stdout);
    expect(found['base URL']).toMatchObject({ status: 'wrong', advice: expect.stringMatching(/./) });
    expect(found['base URL']?.found).toContain(says);
    expect(found['base URL']?.found).not.toContain('token');
    expect(found['API key']?.status).toBe('skipped');
  });

  it('does not lead to itself where no server answers', async () => {
    const transport: Transport = async () => {
      throw new TransportError('the host name is unknown', false, 'network');
    };
    const { code, stdout, stderr } = await comem('doctor --json', { env: account, transport });
    expect([code, findings(stdout)['base URL']?.status]).toEqual([1, 'wrong']);
    expect(stdout + stderr).not.toContain('comem doctor');
  });

  it('holds the clock against the server', async () => {
    const clock = async (headers: Record<string, string>) =>
      findings((await comem('doctor --json', { env: account, transport: answering(401, refusal, headers) })).stdout)
        .clock;
    const { clock: base } = findings(
      (await comem('doctor --json', { env: { ...account, COMEM_NOW: '2026-03-31' } })).stdout,
    );
    expect(base).toMatchObject({ status: 'skipped', found: expect.stringContaining('COMEM_NOW') });
    expect(await clock({})).toMatchObject({ status: 'skipped' });
    expect(await clock(at(7200))).toMatchObject({ status: 'wrong', found: expect.stringContaining('behind') });
    expect(await clock(at(-600))).toMatchObject({ status: 'wrong', found: expect.stringContaining('ahead') });
    expect(await clock(at(20))).toMatchObject({ status: 'ok' });
  });

  it('finds files that others can read, and continues when the settings file is broken', async () => {
    const folder = join(place.home, 'config/comem');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, 'config.json'), '{"version":1,"profiles":{}}');
    chmodSync(join(folder, 'config.json'), 0o644);
    const open = await comem('doctor --json');
    expect(open.code).toBe(1);
    expect(findings(open.stdout)['settings file']).toMatchObject({
      status: 'wrong',
      advice: `chmod 600 '${join(folder, 'config.json')}'`,
    });
    writeFileSync(join(folder, 'config.json'), '{');
    const broken = await comem('doctor --json -p work');
    expect(broken.code).toBe(1);
    expect(findings(broken.stdout)).toMatchObject({
      'settings file': { status: 'wrong', found: expect.stringContaining('not valid JSON') },
      profile: { status: 'skipped' },
    });
  });

  it('says when the profile does not exist', async () => {
    const { code, stdout } = await comem('doctor --json -p nope');
    expect(code).toBe(1);
    expect(findings(stdout).profile).toMatchObject({ status: 'wrong', found: expect.stringContaining('"nope"') });
  });

  it('shows no password of a proxy', async () => {
    const { stdout } = await comem('doctor', { env: { HTTPS_PROXY: 'http://me:hush@proxy.example.com:3128' } });
    expect(stdout).toContain('HTTPS_PROXY=http://[redacted]@proxy.example.com:3128');
    expect(stdout).not.toContain('hush');
  });
});
