/** `entries import` on a bad day: every row once, whatever becomes of requests and answers. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TransportError } from '../../../../src/core/errors.ts';
import type { Transport } from '../../../../src/core/wire.ts';
import { faultWrappers, parseFault } from '../../../../src/server/faults.ts';
import { temporaryFolder } from '../../../helpers/cli.ts';
import { listsWorld, type World } from '../../../helpers/lists-world.ts';
import type { RunOptions } from '../../../helpers/run.ts';

let world: World;
let cwd: string;
beforeEach(async () => {
  world = await listsWorld();
  cwd = temporaryFolder();
});
afterEach(() => world.close());

function table(rows: number, cell = (row: number) => `n${row}`): void {
  const lines = Array.from({ length: rows }, (_, row) => `R${row},Company ${row},${cell(row)}`);
  writeFileSync(join(cwd, 'rows.csv'), ['Ref,title,Notes', ...lines].join('\n'));
}

const argv = ['entries', 'import', 'empty', 'rows.csv', '--key', 'Ref', '--create-attrs', '--yes', '-o', 'json'];
const load = (flags: string[] = [], options: RunOptions = {}) =>
  world.run([...argv, ...flags], { cwd, home: cwd, ...options });
const counts = ({ stdout }: { stdout: string }) =>
  Object.fromEntries(Object.entries(JSON.parse(stdout) as Record<string, number>).filter(([, count]) => count > 0));

interface Entry {
  title: string;
  values: Record<string, string>;
}
const entries = async () => (await world.json(['entries', 'list', 'empty', '--archived'])) as Entry[];
/** Every row of the file as one entry, in its order. */
const refs = async () => (await entries()).map(({ values }) => values.ref);
const all = (rows: number) => Array.from({ length: rows }, (_, row) => `R${row}`);

/** The API behind faults as `comem serve --fail` makes them. */
function faulty(...faults: string[]): Transport {
  const wrappers = faultWrappers({ faults: faults.map(parseFault) });
  return wrappers.reduceRight<Transport>((next, wrapper) => (request) => wrapper(request, next), world.transport);
}

describe('under faults', () => {
  it('a 503 in every 20 requests and an answer lost in every 50 still give each row once', async () => {
    table(400);
    const transport = faulty('*=503@1/20', 'POST /api/lists/*=drop-after@1/50', 'POST /api/lists/*=drop@1/50');
    const result = await load(['--concurrency', '8'], { transport });
    expect([result.code, counts(result)]).toEqual([0, { created: 400 }]);
    expect(await refs()).toEqual(all(400));
    const posts = result.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/entries'));
    expect(posts.length).toBeGreaterThan(400);

    table(400, (row) => `m${row}`);
    const changed = await load([], { transport: faulty('*=503@1/20', 'PATCH *=drop-after@1/50', '*=429@1/200') });
    expect([changed.code, counts(changed)]).toEqual([0, { updated: 400 }]);
    expect((await entries()).every(({ values }) => values.notes === `m${values.ref?.slice(1)}`)).toBe(true);
  }, 240_000);

  it('attributes are added once although every first answer is lost', async () => {
    table(3);
    const result = await load([], { transport: faulty('POST *=drop-after@1/2') });
    expect(counts(result)).toEqual({ created: 3 });
    const attributes = (await world.json(['attrs', 'list', 'empty'])) as { name: string }[];
    expect(attributes.map(({ name }) => name)).toEqual(['Ref', 'Notes']);
  });

  it('a title that many share is told apart by its key', async () => {
    const lines = Array.from({ length: 40 }, (_, row) => `R${row},Same,x${row}`);
    writeFileSync(join(cwd, 'rows.csv'), ['Ref,title,Notes', ...lines].join('\n'));
    await load([], { transport: faulty('POST /api/lists/*/entries=drop-after@1/3', 'GET *=503@1/5') });
    expect(await refs()).toEqual(all(40));
  });

  it('a create that was taken and timed out is found, not repeated', async () => {
    table(2);
    let hung = 0;
    const transport: Transport = async (request) => {
      const answer = await world.transport(request);
      if (request.method !== 'POST' || !request.url.endsWith('/entries') || hung > 0) return answer;
      hung += 1;
      return new Promise((_, reject) => {
        request.signal?.addEventListener('abort', () => reject(new TransportError('given up', true, 'timeout')));
      });
    };
    const result = await load(['--timeout', '1'], { transport });
    expect([result.code, counts(result), hung]).toEqual([0, { created: 2 }, 1]);
    expect(await refs()).toEqual(all(2));
  });

  it('a create that cannot be looked up is not repeated', async () => {
    table(1);
    await load([], { transport: faulty('POST /api/lists/*/entries=500') });
    const posts: string[] = [];
    let lost = false;
    const transport: Transport = async (request) => {
      const isPost = request.method === 'POST';
      if (isPost) posts.push(request.url);
      if (lost) throw new TransportError('no way back', true, 'network');
      lost = isPost;
      if (isPost) throw new TransportError('no way back', true, 'network');
      return world.transport(request);
    };
    const result = await load(['--retries', '0'], { transport });
    expect([result.code, posts.length]).toEqual([5, 1]);
  });
});

describe('rows that fail', () => {
  const refuse = (fails: (row: string) => boolean): Transport => {
    return async (request) => {
      if (!request.body || !fails(request.body)) return world.transport(request);
      return { status: 422, headers: {}, body: Buffer.from('{"error":"not this one","status":422}') };
    };
  };

  it('are counted, kept with their reason, and imported again from there', async () => {
    table(10);
    const flags = ['--failed', 'failed.csv', '--concurrency', '1'];
    const result = await load(flags, { transport: refuse((body) => /"R[36]"/.test(body)) });
    expect([result.code, counts(result)]).toEqual([7, { created: 8, failed: 2 }]);
    expect(result.stderr).toContain('line 5 "Company 3" was not written: not this one');
    expect(result.stderr).toContain('8 of 10 writes were done, 2 failed');
    const kept = readFileSync(join(cwd, 'failed.csv'), 'utf8').split('\n');
    expect(kept).toEqual([
      'Ref,title,Notes,_reason',
      expect.stringMatching(/^R3,Company 3,n3,"not this one \(POST .* answered 422\)"$/),
      expect.stringMatching(/^R6,Company 6,n6,"not this one/),
      '',
    ]);
    const again = await world.run(['entries', 'import', 'empty', 'failed.csv', '--key', 'ref', '-y', '-o', 'json'], {
      cwd,
    });
    expect(counts(again)).toEqual({ created: 2 });
    expect((await refs()).sort()).toEqual(all(10).sort());
  });

  it('are tried again by --resume, the others are not', async () => {
    table(10);
    await load([], { transport: refuse((body) => /"R[36]"/.test(body)) });
    const result = await load(['--resume']);
    expect([result.code, counts(result)]).toEqual([0, { created: 10 }]);
    expect(result.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
    expect(await refs()).toEqual(all(10));
    const over = await load(['--resume']);
    expect([over.code, counts(over)]).toEqual([0, { unchanged: 10 }]);
    expect(over.stderr).toContain('No unfinished import with this file and these flags: this is a new plan.');
  });

  it('all of them: the class that they share', async () => {
    table(3);
    const refused = await load([], { transport: refuse((body) => body.includes('"title"')) });
    expect([refused.code, counts(refused)]).toEqual([6, { failed: 3 }]);
    expect(refused.stderr).toContain('0 of 3 writes were done, 3 failed: not this one');
  });

  it('hold back removals', async () => {
    table(3);
    await load();
    writeFileSync(join(cwd, 'rows.csv'), 'Ref,title,Notes\nR0,Company 0,changed\n');
    const result = await load(['--mode', 'sync', '--prune', '--failed', 'f.json'], {
      transport: refuse((body) => body.includes('changed')),
    });
    expect([result.code, counts(result)]).toEqual([6, { failed: 1, not_tried: 2 }]);
    expect(await refs()).toEqual(all(3));
    const kept = JSON.parse(readFileSync(join(cwd, 'f.json'), 'utf8'));
    expect(kept).toMatchObject([{ Ref: 'R0', Notes: 'changed', _reason: expect.stringContaining('not this one') }]);
  });

  it('a server that does not answer, or a session that has ended, stops the rest', async () => {
    table(200);
    await load(['--retries', '0'], { transport: refuse((body) => body.includes('"title"')) });
    const down = await load(['--retries', '0'], { transport: faulty('POST /api/lists/*/entries=503') });
    expect(down.code).toBe(5);
    expect(counts(down).not_tried).toBeGreaterThan(150);
    const ended = await load(['--concurrency', '1'], { transport: faulty('POST /api/lists/*/entries=401') });
    expect([ended.code, counts(ended)]).toEqual([4, { failed: 1, not_tried: 199 }]);
    expect(counts(await load(['--resume']))).toEqual({ created: 200 });
  });
});

describe('in flight', () => {
  it('are as many as --concurrency says, and the order of the file is kept', async () => {
    table(60);
    let flying = 0;
    let most = 0;
    const slow: Transport = async (request) => {
      if (request.method !== 'POST' || !request.url.endsWith('/entries')) return world.transport(request);
      flying += 1;
      most = Math.max(most, flying);
      // Later rows overtake earlier ones.
      for (let turn = 0; turn < (request.body?.length ?? 0) % 7; turn += 1) await new Promise(setImmediate);
      flying -= 1;
      return world.transport(request);
    };
    await load(['--concurrency', '5'], { transport: slow });
    expect(most).toBe(5);
    expect(await refs()).toEqual(all(60));
  });

  it('an interrupt ends it, and --resume continues', async () => {
    table(60);
    const abort = new AbortController();
    let posts = 0;
    const transport: Transport = async (request) => {
      if (request.method === 'POST' && request.url.endsWith('/entries')) posts += 1;
      if (posts === 25) abort.abort(new Error('SIGINT'));
      const answer = await world.transport(request);
      if (request.signal?.aborted) throw new TransportError('given up', true, 'aborted');
      return answer;
    };
    const stopped = await load([], { transport, signal: abort.signal });
    expect(stopped.code).toBe(130);
    expect(stopped.stderr).toContain('run the same command with --resume to continue');
    const other = await load(['--resume', '--mode', 'insert', '--dry-run']);
    expect([other.code, other.stderr]).toEqual([0, expect.stringContaining('this is a new plan')]);
    expect(other.stdout).toContain('"method": "POST"');
    const result = await load(['--resume']);
    expect([result.code, counts(result)]).toEqual([0, { created: 60 }]);
    expect(await refs()).toEqual(all(60));
  });
});
