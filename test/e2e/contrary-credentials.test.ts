/** Credentials through the binary, on a server whose keys and cookies have no form in common with the embedded API's. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cli } from '../helpers/cli.ts';
import { type Contrary, startContrary } from '../helpers/contrary-server.ts';

let server: Contrary;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startContrary();
  env = {
    COMEM_BASE_URL: server.url,
    COMEM_API_KEY: server.apiKey,
    COMEM_SESSION_COOKIE: server.sessionCookie,
    COMEM_COMPANY_ID: server.companyId,
  };
});
afterAll(() => server.close());

const comem = (argv: string[], more: Record<string, string | undefined> = {}) =>
  cli(argv, { env: { ...env, ...more } });

test('both kinds are accepted as they are, and shown only by their ends', async () => {
  const { code, stdout } = await comem(['auth', 'status', '--check', '-o', 'csv']);
  expect(code).toBe(0);
  expect(stdout.match(/accepted/g)).toHaveLength(2);
  expect(stdout).not.toContain(server.apiKey);
  expect(stdout).not.toContain(server.sessionCookie);
});

test('an ended session is sent to a login page: exit 4, and the page is not fetched', async () => {
  const before = server.requests.length;
  const ended = await comem(['lists', 'list'], { COMEM_SESSION_COOKIE: server.endedCookie });
  expect(ended).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('/login') });
  expect(server.requests.length - before).toBe(1);
});

test('an unknown key is exit 4 in the words of the server', async () => {
  const wrong = await comem(['metrics', 'live'], { COMEM_API_KEY: 'nobody' });
  expect(wrong).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('who are you?') });
});

test.each([
  [['lists', 'list'], 'COMEM_SESSION_COOKIE', 'GET /api/lists needs a session cookie'],
  [['metrics', 'live'], 'COMEM_API_KEY', 'GET /api/company/metrics needs an API key'],
])('%j without its own kind is exit 4, and nothing is sent', async (argv, variable, says) => {
  const before = server.requests.length;
  const { code, stdout, stderr } = await comem(argv, { [variable]: undefined });
  expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
  expect(stderr).toContain(says);
  expect(stderr).toContain('comem auth login');
  expect(server.requests).toHaveLength(before);
});

test('the request log on stderr holds no secret', async () => {
  const { code, stderr } = await comem(['lists', 'list', '-v', '-o', 'json']);
  expect(code).toBe(0);
  expect(stderr).toContain('> GET ');
  for (const secret of ['abc%7Bdef', 'ghi', server.apiKey]) expect(stderr).not.toContain(secret);
});
