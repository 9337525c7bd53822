import { expect, test } from 'vitest';
import { cli } from '../helpers/cli.ts';

test('doctor looks at the demo and finds nothing wrong', async () => {
  const { code, stdout, stderr } = await cli(['-p', 'demo', 'doctor', '-o', 'csv']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^check,status,found,advice\n/);
  expect(stdout).toContain('API key,ok,accepted; from the embedded API,\n');
  expect(stdout).not.toMatch(/,wrong,/);
});

test('doctor exits 1 where no API answers, and 2 for a flag that it does not have', async () => {
  const env = { COMEM_BASE_URL: 'http://127.0.0.1:1', COMEM_API_KEY: 'cmk_x' };
  const { code, stdout, stderr } = await cli(['doctor', '--timeout', '5'], { env });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^base URL\twrong\t/m);
  expect(stderr).toMatch(/^comem: \d of \d+ checks found a problem: base URL/);
  expect((await cli(['doctor', '--no-such-flag'])).code).toBe(2);
});
