/** Changes of entries on a server whose PATCH replaces all values by those that it names: the API leaves it open. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliResult, cli, temporaryFolder } from '../helpers/cli.ts';
import { type Contrary, startContrary } from '../helpers/contrary-server.ts';

let server: Contrary;
let home: string;
beforeAll(async () => {
  server = await startContrary({ replaceValues: true });
  home = temporaryFolder();
});
afterAll(() => server.close());

function comem(argv: string[], stdin?: string): Promise<CliResult> {
  const env = {
    COMEM_BASE_URL: server.url,
    COMEM_API_KEY: server.apiKey,
    COMEM_SESSION_COOKIE: server.sessionCookie,
    COMEM_COMPANY_ID: server.companyId,
  };
  return cli(argv, { env, home, stdin });
}

async function values(title: string): Promise<Record<string, unknown>> {
  const { stdout } = await comem(['entries', 'get', 'deals', title, '--jq', '.values']);
  return JSON.parse(stdout) as Record<string, unknown>;
}

const patches = () => server.requests.filter(({ method }) => method === 'PATCH').length;

describe('on a server that replaces values', () => {
  it('a change by title keeps the others, and says so once', async () => {
    const before = await values('Deal 001');
    const result = await comem(['entries', 'update', 'deals', 'Deal 001', '--set', 'stage=Won', '-o', 'json']);
    expect(result.code).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({ values: { ...before, stage: 'st/2' } });
    expect(await values('Deal 001')).toEqual({ ...before, stage: 'st/2' });
    expect(result.stderr.match(/replaces all values/g)).toHaveLength(1);
    await comem(['entries', 'update', 'deals', 'Deal 001', '--unset', 'stage']);
    const { stage, ...rest } = await values('Deal 001');
    expect([stage ?? null, rest]).toEqual([null, { deal_size: 1000.5, tags: ['t-a'], owner: { ref: 1 } }]);
  });

  it('a change of many does, and is reverted completely', async () => {
    const titles = ['Deal 010', 'Deal 011', 'Deal 012'];
    const before = await Promise.all(titles.map(values));
    const change = ['entries', 'update', 'deals', ...titles, '--set', 'hot=true', '--yes', '--concurrency', '1'];
    const sent = patches();
    const { code, stderr } = await comem(change);
    expect([code, stderr.match(/replaces all values/g)?.length]).toEqual([0, 1]);
    // The first answer tells; from then on all values are sent at once.
    expect(patches() - sent).toBe(4);
    expect(await Promise.all(titles.map(values))).toEqual(before.map((one) => ({ ...one, hot: true })));
    expect((await comem(['undo', '--yes'])).code).toBe(0);
    const after = await Promise.all(titles.map(values));
    expect(after.map(({ hot, ...rest }) => [hot ?? null, rest])).toEqual(before.map((one) => [null, one]));
  });

  it('an import does', async () => {
    const file = join(home, 'deals.csv');
    writeFileSync(file, 'title,met\nDeal 020,2024-05-06\nDeal 021,2024-05-07\n');
    const before = await values('Deal 020');
    const result = await comem(['entries', 'import', 'deals', file, '--key', 'title', '--mode', 'update', '--yes']);
    expect([result.code, result.stderr.match(/replaces all values/g)?.length]).toEqual([0, 1]);
    expect(await values('Deal 020')).toEqual({ ...before, met: '2024-05-06' });
    expect(await values('Deal 021')).toMatchObject({ met: '2024-05-07', owner: { ref: 21 } });
  });

  it('a change by id of what was not read says what the answer shows; --keep-undo keeps the values', async () => {
    const id = (await comem(['entries', 'get', 'deals', 'Deal 030', '--jq', '.id'])).stdout.trim();
    const before = await values('Deal 030');
    const kept = await comem(['entries', 'update', 'deals', id, '--set', 'hot=true', '--keep-undo']);
    expect([kept.code, await values('Deal 030')]).toEqual([0, { ...before, hot: true }]);
    const blind = await comem(['entries', 'update', 'deals', id, '--set', 'hot=false']);
    expect(blind.code).toBe(0);
    expect(blind.stderr).toContain(`shows only the values of entry ${id} that were sent`);
  });
});

describe('on a server that merges values', () => {
  it('nothing is sent twice and nothing is said', async () => {
    const merging = await startContrary();
    try {
      const env = {
        COMEM_BASE_URL: merging.url,
        COMEM_SESSION_COOKIE: merging.sessionCookie,
        COMEM_COMPANY_ID: merging.companyId,
      };
      const { code, stderr } = await cli(['entries', 'update', 'deals', 'Deal 001', '--set', 'hot=true'], { env });
      expect([code, stderr.includes('values')]).toEqual([0, false]);
      const sent = merging.requests.filter(({ method }) => method === 'PATCH');
      expect(sent.map(({ body }) => body)).toMatchObject([{ values: { hot: true } }]);
    } finally {
      await merging.close();
    }
  });
});
