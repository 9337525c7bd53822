import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isPostgres, openStore, type StoreOptions } from '../../src/server/store/store.ts';
import { freshDatabase } from '../helpers/database.ts';
import { companies, sessions, type World, world } from './world.ts';

let folder: string;
/** As the store takes it, and as the writer does. */
let database: StoreOptions;
let named: string;
let program: string;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'comem-processes-'));
  program = join(folder, 'writer.mjs');
  const libsql = import.meta.resolve('libsql');
  await build({
    entryPoints: [new URL('writer.ts', import.meta.url).pathname],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    plugins: [
      {
        name: 'native',
        setup: (setup) => setup.onResolve({ filter: /^libsql$/ }, () => ({ path: libsql, external: true })),
      },
    ],
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  count += 1;
  const fresh = await freshDatabase();
  named = fresh.database ?? join(folder, `data-${count}`);
  database = isPostgres(named) ? fresh : { dataDir: named };
});

interface Run {
  child: ChildProcess;
  lines: string[];
  /** Resolves when the process has ended; rejects with its stderr when it failed by itself. */
  done: Promise<void>;
  line(n: number): Promise<string>;
}

function run(...args: string[]): Run {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  let rest = '';
  let stderr = '';
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  child.stdout.on('data', (data) => {
    const parts = (rest + data).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    child.emit('lines');
  });
  const done = new Promise<void>((resolve, reject) => {
    child.on('close', (code, signal) => (code === 0 || signal === 'SIGKILL' ? resolve() : reject(new Error(stderr))));
  });
  return {
    child,
    lines,
    done,
    async line(n) {
      while (lines.length <= n) {
        await Promise.race([new Promise((resolve) => child.once('lines', resolve)), done]);
        if (child.exitCode !== null && lines.length <= n) throw new Error(`ended early: ${stderr}`);
      }
      return lines[n] ?? '';
    },
  };
}

async function withList(): Promise<{ w: World; listId: string }> {
  const w = await world({}, database);
  const list = await w.call('createList', { query: { companyId: companies.fund }, body: { name: 'L' } });
  const listId = list.body.id as string;
  await w.call('createAttribute', { params: { listId }, body: { name: 'T', attribute_type: 'text' } });
  return { w, listId };
}

describe('several processes on one database', () => {
  it('make one database when they start at once', async () => {
    const runs = Array.from({ length: 4 }, () => run('open', named));
    await Promise.all(runs.map(({ done }) => done));
    expect(new Set(runs.flatMap(({ lines }) => lines)).size).toBe(1);
    if (isPostgres(named)) return;
    expect((await stat(join(named, 'comem.db'))).mode & 0o777).toBe(0o600);
    expect((await stat(named)).mode & 0o777).toBe(0o700);
  });

  it('write at the same time without an error, each entry at its own position', async () => {
    const { w, listId } = await withList();
    const runs = ['a', 'b', 'c'].map((name) => run('write', named, listId, name));
    await Promise.all(runs.map(({ done }) => done));
    const lines = runs.flatMap((one) => one.lines);
    expect(lines.filter((line) => !line.startsWith('201 '))).toEqual([]);
    const entries = (await w.call('listEntries', { params: { listId }, query: { limit: 500 } })).body;
    expect(entries.map((entry: { title: string }) => `201 ${entry.title}`).sort()).toEqual(lines.sort());
    expect(new Set(entries.map((entry: { position: number }) => entry.position)).size).toBe(120);
    const facet = await w.call('listEntries', { params: { listId }, query: { 'filter[t]': 'b', limit: 500 } });
    expect(facet.body).toHaveLength(40);
    await w.close();
  });

  it('give two lists of one name two slugs', async () => {
    const { w } = await withList();
    const other = await openStore(database);
    const make = () => w.call('createList', { query: { companyId: companies.fund }, body: { name: 'Same' } });
    const slugs = (await Promise.all([make(), make(), make()])).map(({ body }) => body.slug);
    expect(slugs.sort()).toEqual(['same', 'same-2', 'same-3']);
    await other.close();
    await w.close();
  });
});

describe('a process that is killed', () => {
  it('loses no entry that it acknowledged, and leaves no half of one', async () => {
    const { w, listId } = await withList();
    const server = run('serve', named);
    const url = await server.line(0);
    const acknowledged: string[] = [];
    const write = async (name: string) => {
      for (let n = 0; ; n += 1) {
        const title = `${name} ${n}`;
        const answer = await fetch(`${url}/api/lists/${listId}/entries`, {
          method: 'POST',
          headers: { cookie: `comem-auth-token=${sessions.ann}`, 'content-type': 'application/json' },
          body: JSON.stringify({ title, values: { t: 'x' } }),
        }).catch(() => undefined);
        if (answer?.status !== 201) return;
        acknowledged.push(title);
        if (acknowledged.length === 60) server.child.kill('SIGKILL');
      }
    };
    await Promise.all(['a', 'b', 'c', 'd'].map(write));
    await server.done;
    expect(acknowledged.length).toBeGreaterThanOrEqual(60);
    const titles = async (query: Record<string, string>) =>
      (await w.call('listEntries', { params: { listId }, query: { limit: '500', ...query } })).body.map(
        (entry: { title: string }) => entry.title,
      );
    const kept = await titles({});
    expect(kept).toEqual(expect.arrayContaining(acknowledged));
    // At most the four that were in flight are there besides, and every entry has its facet.
    expect(kept.length).toBeLessThanOrEqual(acknowledged.length + 4);
    expect(await titles({ 'filter[t]': 'x' })).toEqual(kept);
    await w.close();
  });
});
