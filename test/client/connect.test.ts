import { describe, expect, test } from 'vitest';
import { connect, withLog } from '../../src/client/connect.ts';
import { redactHeaders, redactUrl } from '../../src/client/credentials.ts';
import { TransportError } from '../../src/core/errors.ts';
import type { WireResponse } from '../../src/core/wire.ts';

describe('base URLs', () => {
  test.each([
    ['https://api.example', 'https://api.example', 'https://api.example'],
    ['https://api.example:8443/memory/', 'https://api.example:8443/memory', 'https://api.example:8443'],
    ['http://127.0.0.1:4010', 'http://127.0.0.1:4010', 'http://127.0.0.1:4010'],
    ['http://[::1]:4010/', 'http://[::1]:4010', 'http://[::1]:4010'],
    ['http://localhost', 'http://localhost', 'http://localhost'],
    ['embedded:/data/x', 'http://embedded', 'embedded:/data/x'],
  ])('%s', (given, baseUrl, credentialOrigin) => {
    expect(connect({ baseUrl: given })).toMatchObject({ baseUrl, credentialOrigin });
  });

  test.each(['api.example', 'ftp://x', 'https://me:secret@x.example', 'https://x.example?a=1', 'embedded:', ''])(
    '%s is refused',
    (given) => {
      expect(() => connect({ baseUrl: given })).toThrow(expect.objectContaining({ exitCode: 2 }));
    },
  );

  test('plain http goes only to this machine, unless it is allowed', () => {
    expect(() => connect({ baseUrl: 'http://api.example' })).toThrow(/plain http/);
    expect(() => connect({ baseUrl: 'http://localhost.evil.example' })).toThrow(/plain http/);
    expect(connect({ baseUrl: 'http://api.example', allowHttp: true }).baseUrl).toBe('http://api.example');
  });
});

describe('the request log', () => {
  const request = {
    method: 'GET',
    url: 'https://x.example/api/lists',
    headers: { authorization: 'Bearer secret-key', cookie: 'sid=secret-a; sid.1=secret-b', accept: 'x' },
  };
  const response: WireResponse = {
    status: 200,
    headers: { 'set-cookie': 'sid=secret-c', etag: 'e', location: `/login?from=${request.headers.cookie}` },
    body: Buffer.from('[]'),
  };

  test('says request and answer, and no secret', async () => {
    const lines: string[] = [];
    const send = withLog(
      async () => response,
      (line) => lines.push(line),
    );
    expect(await send(request)).toBe(response);
    expect(lines).toEqual([
      '> GET https://x.example/api/lists',
      '> authorization: Bearer [redacted]',
      '> cookie: sid=[redacted]; sid.1=[redacted]',
      '> accept: x',
      expect.stringMatching(/^< 200, 2 bytes in \d+ ms$/),
      '< set-cookie: [redacted]',
      '< etag: e',
      '< location: /login?from=[redacted]',
    ]);
    expect(lines.join()).not.toContain('secret');
  });

  test('says that no answer came, and hands the failure on', async () => {
    const lines: string[] = [];
    const error = new TransportError('cut', true, 'network');
    const send = withLog(
      async () => Promise.reject(error),
      (line) => lines.push(line),
    );
    await expect(send(request)).rejects.toBe(error);
    expect(lines.at(-1)).toMatch(/^< no answer after \d+ ms: cut$/);
  });

  test('hides what is without a scheme, and users in URLs', () => {
    expect(redactHeaders({ Authorization: 'secret', 'x-api-key': 'secret', cookie: 'secret' })).toEqual({
      Authorization: '[redacted]',
      'x-api-key': '[redacted]',
      cookie: '[redacted]',
    });
    expect(redactUrl('https://a:b@x.example/p?q=@')).toBe('https://x.example/p?q=@');
  });
});
