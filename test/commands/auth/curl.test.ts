import { describe, expect, it } from 'vitest';
import { readCurl } from '../../../src/commands/auth/login-input.ts';
import { Failure } from '../../../src/core/errors.ts';

const cookie = `token.0=abc; token.1="d'e"; theme=50%`;

describe('readCurl', () => {
  it.each<[string, string, string]>([
    [
      'bash, header',
      `curl 'https://app.example.com/api/lists?companyId=1' \\\n  -H 'accept: */*' \\\n  -H 'Cookie: a=1; b=2' \\\n  --compressed`,
      'a=1; b=2',
    ],
    ['bash, -b', `curl 'https://app.example.com/x' -b 'a=1; b=2' -H 'x: y'`, 'a=1; b=2'],
    ['bash, --cookie', `curl https://app.example.com/x --cookie 'a=1'`, 'a=1'],
    [
      'bash, ANSI quoting',
      `curl 'https://app.example.com' -b $'token.0=abc; token.1="d\\'e"; theme=50\\u0025'`,
      cookie,
    ],
    [
      'bash, closed and opened quotes',
      `curl https://app.example.com -b 'token.0=abc; token.1="d'\\''e"; theme=50%'`,
      cookie,
    ],
    ['double quotes', `curl "https://app.example.com" -H "cookie: a=\\"x\\"; b=\\\\"`, 'a="x"; b=\\'],
    [
      'cmd',
      `curl ^"https://app.example.com/api^" ^\r\n  -H ^"accept: */*^" ^\r\n  -b ^"token.0=abc; token.1=^\\^"d'e^\\^"; theme=50^%^" ^\r\n  --compressed`,
      cookie,
    ],
    ['an empty last pair', `curl https://app.example.com -b 'a=1;'`, 'a=1'],
  ])('reads %s', (_, text, expected) => {
    expect(readCurl(text)).toEqual({ cookie: expected, origin: 'https://app.example.com' });
  });

  it('takes the first address, which a browser writes before all options', () => {
    const line = `curl 'http://h:81/x' -X POST --data-raw 'https://evil.example.com' -H 'referer: cookie: no=1' -b 'a=1'`;
    expect(readCurl(line)).toEqual({ cookie: 'a=1', origin: 'http://h:81' });
    expect(readCurl(`curl -b 'a=1'`).origin).toBeUndefined();
  });

  it.each([
    [`curl 'https://app.example.com' -H 'accept: */*'`, /no cookie/],
    [`curl 'https://app.example.com' -b cookies.txt`, /no cookie/],
    [`curl 'https://app.example.com' -H 'cookie:'`, /no cookie/],
    ['a=1; b=2', /does not start with curl/],
    ['Invoke-WebRequest -Uri "https://app.example.com"', /does not start with curl/],
    ['', /does not start with curl/],
  ])('refuses %s', (text, message) => {
    expect(() => readCurl(text)).toThrow(message);
    expect(() => readCurl(text)).toThrow(Failure);
  });
});
