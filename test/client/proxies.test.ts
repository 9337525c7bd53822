import { describe, expect, it } from 'vitest';
import { proxyVariables } from '../../src/client/network.ts';
import { run } from '../helpers/run.ts';

describe('proxy variables', () => {
  it.each([
    ['http://proxy:3128', 'http://proxy:3128'],
    ['proxy:3128', 'http://proxy:3128'],
    ['127.0.0.1:3128', 'http://127.0.0.1:3128'],
    ['user:secret@proxy:3128', 'http://user:secret@proxy:3128'],
    [' https://proxy ', 'https://proxy'],
  ])('%j', (written, address) => {
    const [both, none] = [
      { https_proxy: written, HTTPS_PROXY: 'x' },
      { httpProxy: '', httpsProxy: '', noProxy: '' },
    ];
    expect(proxyVariables({ HTTP_PROXY: written }, 'http://api')).toEqual({ ...none, httpProxy: address });
    expect(proxyVariables(both, 'https://api')).toEqual({ ...none, httpsProxy: address });
  });

  it.each(['foo bar', 'ftp://proxy', 'socks5://proxy:1080', 'http://', 'http://a:99999'])('refuses %j', (written) => {
    expect(() => proxyVariables({ http_proxy: written }, 'http://api')).toThrow(/^http_proxy must be the address/);
    // What is not used is not looked at.
    expect(proxyVariables({ http_proxy: written }, 'https://api')).toBeUndefined();
  });

  it('keeps a password out of the message', () => {
    expect(() => proxyVariables({ https_proxy: 'ftp://me:secret@proxy' }, 'https://api')).toThrow(
      /"ftp:\/\/\[redacted\]@proxy"/,
    );
  });

  it.each([
    ['http://127.0.0.1:1', 'http://127.0.0.1:2 through the proxy 127.0.0.1:1: the connection was refused'],
    ['http://no-proxy.invalid:3128', 'http://127.0.0.1:2 through the proxy no-proxy.invalid: the host name'],
  ])('a proxy that is not reached is named: %s', async (http_proxy, says) => {
    const env = { http_proxy, COMEM_BASE_URL: 'http://127.0.0.1:2', COMEM_SESSION_COOKIE: 'a=b' };
    const { code, stderr } = await run(['lists', 'list', '--retries', '0'], { env, network: true });
    expect([code, stderr]).toEqual([5, expect.stringContaining(says)]);
    const direct = await run(['lists', 'list', '--retries', '0'], {
      env: { ...env, http_proxy: undefined },
      network: true,
    });
    expect(direct.stderr).toContain('http://127.0.0.1:2: the connection was refused');
  });

  it('that are wrong are a usage error of a command, and nothing of the demo', async () => {
    const env = { http_proxy: 'socks5://127.0.0.1:1', COMEM_BASE_URL: 'http://127.0.0.1:1' };
    const { code, stderr } = await run(['lists', 'list'], { env, network: true });
    expect([code, stderr]).toEqual([2, expect.stringContaining('http_proxy must be the address of a proxy')]);
    const demo = await run(['-p', 'demo', 'lists', 'list'], { env: { http_proxy: 'socks5://127.0.0.1:1' } });
    expect(demo.code).toBe(0);
  });
});
