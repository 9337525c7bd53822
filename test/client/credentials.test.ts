import { describe, expect, test } from 'vitest';
import { readAny, readReply } from '../../src/client/answer.ts';
import {
  cleanCookie,
  cleanKey,
  credentialKind,
  keyExpiry,
  readCookies,
  sessionExpiry,
} from '../../src/client/credentials.ts';
import { withoutSecrets } from '../../src/client/failures.ts';
import { operations } from '../../src/contract/index.ts';
import { Failure } from '../../src/core/errors.ts';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (exp?: number) => `${encode({ alg: 'none' })}.${encode(exp === undefined ? {} : { exp })}.sig`;
const at = 1_800_000_000;
const date = new Date(at * 1000);

describe('what a pasted credential is', () => {
  test.each([
    ['cmk_4f9a8b', 'key'],
    ['Bearer cmk_4f9a8b', 'key'],
    ['Authorization: Bearer abc.def.ghi', 'key'],
    ['sk-live/9f+Zk==', 'key'],
    [jwt(at), 'key'],
    ['sid=abc', 'session'],
    ['Cookie: sid=abc', 'session'],
    ['sb-auth-token.0=base64-abc; sb-auth-token.1=def==; theme=dark', 'session'],
    ['__Host-sid=a%3D', 'session'],
    ['two words', undefined],
    ['', undefined],
  ])('%s is %s', (text, kind) => {
    expect(credentialKind(text)).toBe(kind);
    expect(credentialKind(`  ${text}\n`)).toBe(kind);
  });

  test('prefixes of a paste come off', () => {
    expect(cleanKey(' authorization: Bearer  abc \n')).toBe('abc');
    expect(cleanCookie('cookie: a=1; b=2; \n')).toBe('a=1; b=2');
  });

  test('chunked siblings are joined in the order of their numbers', () => {
    expect([...readCookies('t.10=k; t.2=c; a=b=c; t.0=a; t.1=b')]).toEqual([
      ['a', 'b=c'],
      ['t', 'abck'],
    ]);
  });
});

describe('when a session ends', () => {
  test('a JWT says it itself', () => {
    expect(sessionExpiry(`sid=${jwt(at)}`)).toEqual(date);
    expect(keyExpiry(`Bearer ${jwt(at)}`)).toEqual(date);
    expect(keyExpiry('cmk_abc')).toBeUndefined();
  });

  test('a base64 session in chunks, with expires_at or an access token', () => {
    for (const session of [{ expires_at: at, access_token: 'x' }, { access_token: jwt(at) }, [jwt(at), 'refresh']]) {
      const value = `base64-${encode(session)}`;
      const cookie = `sb-x-auth-token.0=${value.slice(0, 20)}; theme=dark; sb-x-auth-token.1=${value.slice(20)}`;
      expect(sessionExpiry(cookie)).toEqual(date);
    }
  });

  test('a URL-encoded JSON session', () => {
    expect(sessionExpiry(`session=${encodeURIComponent(JSON.stringify({ expires_at: at }))}`)).toEqual(date);
  });

  test('of several cookies the one of the session counts', () => {
    expect(sessionExpiry(`analytics=${jwt(at - 9999)}; auth-token=${jwt(at)}`)).toEqual(date);
  });

  test('nothing readable says nothing', () => {
    for (const cookie of ['sid=opaque', '', 'a=%E0%A4%A', `sid=${jwt()}`, 'sid=base64-%%%', 'sid={"a":', 'sid=[]']) {
      expect(sessionExpiry(cookie)).toBeUndefined();
    }
  });
});

describe('what a server echoes', () => {
  const headers = {
    authorization: 'Bearer cmk_4f9a8b-secret',
    cookie: 'theme=dark; sid.0=abcdefgh"1; sid.1=%3Dijklmnop',
  };

  test('is shown without the credentials of the request, however they are spelled', () => {
    const text = [
      'key cmk_4f9a8b-secret is unknown',
      headers.cookie,
      encodeURIComponent(headers.cookie),
      JSON.stringify({ cookie: headers.cookie }),
      'sid.1 is %3Dijklmnop',
    ].join(' | ');
    const shown = withoutSecrets(text, headers);
    expect(shown).toContain('key [redacted] is unknown');
    expect(shown).not.toMatch(/4f9a8b|abcdefgh|ijklmnop/);
    expect(withoutSecrets('a dark theme', headers)).toBe('a dark theme');
    expect(withoutSecrets('nothing to hide', {})).toBe('nothing to hide');
  });

  test('is in no message, hint or details of a failure', () => {
    const request = { method: 'GET', url: 'https://api.example/api/lists', headers };
    const sent = { request, credential: 'session', profile: undefined } as const;
    for (const [status, location] of [
      [400, ''],
      [401, ''],
      [403, ''],
      [500, ''],
      [302, 'https://else.example/cmk_4f9a8b-secret'],
    ] as const) {
      const body = { error: `bad ${headers.authorization}`, status, details: { you: { sent: [headers.cookie] } } };
      const response = { status, headers: { location }, body: Buffer.from(JSON.stringify(body)) };
      for (const read of [
        () => readReply(operations.listLists, { ...sent, response }),
        () => readAny({ ...sent, response }).failure,
      ]) {
        let failure: unknown;
        try {
          failure = read();
        } catch (error) {
          failure = error;
        }
        expect(failure).toBeInstanceOf(Failure);
        const { message, hint, details } = failure as Failure;
        expect(JSON.stringify([message, hint, details])).not.toMatch(/4f9a8b|abcdefgh|ijklmnop/);
      }
    }
  });
});
