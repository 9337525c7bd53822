import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../src/core/errors.ts';
import type { Column } from '../../src/output/column.ts';
import { alone, Batches, pump } from '../../src/output/write/rows.ts';
import { capture, type Given } from './capture.ts';

interface Row {
  id: string;
  n: number;
}
const columns: Column<Row>[] = [
  { key: 'id', get: (row) => row.id },
  { key: 'n', type: 'integer', get: (row) => row.n },
];
const row = (n: number): Row => ({ id: `r${n}`, n });

async function* counting(count: number, read?: { count: number; closed?: boolean }): AsyncGenerator<Row> {
  try {
    for (let n = 0; n < count; n += 1) {
      if (read) read.count += 1;
      yield row(n);
    }
  } finally {
    if (read) read.closed = true;
  }
}

/** Gives `count` rows and then fails, the rows far enough apart that they are written before. */
async function* failing(count: number): AsyncGenerator<Row> {
  yield* counting(count);
  await turn();
  await turn();
  throw new Error('page 2 failed');
}

describe('a failure behind the first page', () => {
  const resume = { offset: 3 };
  async function* broken(): AsyncGenerator<Row> {
    yield* counting(3);
    await turn();
    await turn();
    throw new Failure('tryLater', 'page 2 failed', { resume });
  }
  const failure = (given: Given) => {
    const captured = capture(given);
    const whole = () => ({});
    const options = given.format === 'yaml' ? { whole } : {};
    return captured.out.rows(broken(), columns, options).then(
      () => expect.unreachable(),
      (error: unknown) => ({ error, stdout: captured.stdout() }),
    );
  };

  it.each(['csv', 'tsv', 'json', 'ndjson', 'table', 'md', 'id'])('shows what came before in %s', async (format) => {
    const { error, stdout } = await failure({ format });
    expect(stdout).toContain('r2');
    expect(error).toMatchObject({ kind: 'tryLater', message: 'page 2 failed', resume });
  });

  it('tells nobody to continue where nothing was shown', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'comem-output-'));
    try {
      for (const given of [{ out: join(folder, 'x.csv') }, { jq: '.' }, { format: 'yaml' }]) {
        const { error, stdout } = await failure(given);
        expect(stdout).toBe('');
        expect(error).toMatchObject({ kind: 'tryLater', message: 'page 2 failed', resume: undefined });
      }
      expect(await readdir(folder)).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('streaming', () => {
  it('holds a million rows in the memory of a few', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    for (const format of ['csv', 'tsv', 'json', 'ndjson']) {
      let bytes = 0;
      let peak = 0;
      let pieces = 0;
      const stdout = new Writable({
        write(piece: Buffer, _, done) {
          bytes += piece.length;
          pieces += 1;
          if (pieces % 50 === 0) {
            collect();
            peak = Math.max(peak, process.memoryUsage().heapUsed);
          }
          done();
        },
      });
      collect();
      const before = process.memoryUsage().heapUsed;
      await capture({ format, stdout }).out.rows(counting(1_000_000), columns);
      expect(bytes, format).toBeGreaterThan(10_000_000);
      // The rows would be above 100 MB if they were kept.
      expect(peak, format).toBeGreaterThan(0);
      expect(peak - before, format).toBeLessThan(40_000_000);
    }
  });

  it('holds a table of any length in the memory of a block and a piece', async () => {
    const read = { count: 0 };
    let lines = 0;
    let held = 0;
    const stdout = new Writable({
      decodeStrings: false,
      write(piece: string, _, done) {
        held = Math.max(held, read.count - lines);
        lines += piece.split('\n').length - 1;
        done();
      },
    });
    await capture({ format: 'table', stdout }).out.rows(counting(20_000, read), columns);
    expect(lines).toBe(20_001);
    // A block of 512 rows and 64 KiB of their text.
    expect(held).toBeLessThan(7000);
  });

  it('writes pieces, not rows', async () => {
    const captured = capture({ format: 'csv' });
    await captured.out.rows(counting(50_000), columns);
    const bytes = captured.stdout().length;
    expect(captured.pieces.length).toBeLessThan(bytes / 60_000 + 2);
    expect(captured.stdout().split('\n')).toHaveLength(50_002);
  });

  it('shows what is there when the source pauses', async () => {
    const captured = capture({ format: 'ndjson' });
    let go = (): void => {};
    const pause = new Promise<void>((resolve) => {
      go = resolve;
    });
    const source = async function* () {
      yield row(1);
      yield row(2);
      await pause;
      yield row(3);
    };
    const done = captured.out.rows(new Batches(alone(source())), columns);
    for (let turns = 0; turns < 100 && captured.stdout().split('\n').length < 3; turns += 1) await turn();
    expect(captured.stdout()).toBe('{"id":"r1","n":1}\n{"id":"r2","n":2}\n');
    go();
    await done;
    expect(captured.stdout().split('\n')).toHaveLength(4);
  });

  it('waits while the reader is slow', async () => {
    let waiting = 0;
    let most = 0;
    const stdout = new Writable({
      highWaterMark: 1024,
      write(piece: Buffer, _, done) {
        waiting += piece.length;
        most = Math.max(most, waiting, stdout.writableLength);
        setImmediate(() => {
          waiting -= piece.length;
          done();
        });
      },
    });
    await capture({ format: 'csv', stdout }).out.rows(counting(100_000), columns);
    expect(most).toBeLessThan(300_000);
  });

  it('stops reading when nobody reads it', async () => {
    const read = { count: 0, closed: false };
    const stdout = new Writable({
      write(_piece, _, done) {
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      },
    });
    await capture({ format: 'csv', stdout }).out.rows(counting(1_000_000, read), columns);
    expect(read.count).toBeLessThan(100_000);
    expect(read.closed).toBe(true);
  });

  it('stops at the limit and lets the source clean up', async () => {
    for (const limit of [0, 1, 128, 129, 300]) {
      const read = { count: 0, closed: false };
      const captured = capture({ format: 'tsv', header: false, limit });
      await captured.out.rows(counting(1000, read), columns);
      expect(captured.stdout().split('\n')).toHaveLength(limit + 1);
      expect(read.count).toBe(limit);
      if (limit > 0) expect(read.closed).toBe(true);
    }
    const captured = capture({ format: 'tsv', header: false, limit: 2 });
    await captured.out.rows([row(1), row(2), row(3)], columns);
    expect(captured.stdout()).toBe('r1\t1\nr2\t2\n');
  });

  it('gives rows in order in any rhythm of the source', async () => {
    const rhythm = [1, 200, 3, 128, 256, 1, 1];
    const source = async function* () {
      let n = 0;
      for (const count of rhythm) {
        for (let index = 0; index < count; index += 1) yield n++;
        await turn();
      }
    };
    const got: number[] = [];
    const given = await pump(source(), Number.POSITIVE_INFINITY, { columns: [] }, async (rows) => {
      await turn();
      got.push(...rows);
      return true;
    });
    expect(given).toBe(590);
    expect(got).toEqual(Array.from({ length: 590 }, (_, n) => n));
  });
});

describe('a source that fails', () => {
  it('leaves a JSON array open, and other formats at the end of a line', async () => {
    for (const [format, text] of [
      ['json', '[\n{"id":"r0","n":0},\n{"id":"r1","n":1}'],
      ['ndjson', '{"id":"r0","n":0}\n{"id":"r1","n":1}\n'],
      ['csv', 'id,n\nr0,0\nr1,1\n'],
      ['yaml', '- id: "r0"\n  "n": 0\n- id: "r1"\n  "n": 1\n'],
    ] as const) {
      const captured = capture({ format });
      await expect(captured.out.rows(failing(2), columns)).rejects.toThrow('page 2 failed');
      expect(captured.stdout()).toBe(text);
    }
  });

  it('leaves stdout empty when no row had come', async () => {
    for (const format of ['json', 'csv', 'tsv', 'table', 'md', 'ndjson']) {
      const captured = capture({ format });
      await expect(captured.out.rows(failing(0), columns)).rejects.toThrow('page 2 failed');
      expect(captured.stdout()).toBe('');
    }
  });
});

describe('--out', () => {
  let cwd = '';
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'comem-out-'));
  });
  afterEach(() => rm(cwd, { recursive: true, force: true }));

  it('writes the whole file and nothing on stdout', async () => {
    const captured = capture({ format: 'csv', out: 'rows.csv', cwd, tty: true });
    await captured.out.rows(counting(20_000), columns);
    const text = await readFile(join(cwd, 'rows.csv'), 'utf8');
    expect(text.split('\n')).toHaveLength(20_002);
    expect(captured.stdout()).toBe('');
    expect(await readdir(cwd)).toEqual(['rows.csv']);
  });

  it('leaves no file, and the old file as it was, when the source fails', async () => {
    await expect(capture({ format: 'csv', out: 'new.csv', cwd }).out.rows(failing(20_000), columns)).rejects.toThrow(
      'page 2 failed',
    );
    expect(await readdir(cwd)).toEqual([]);
    await writeFile(join(cwd, 'old.csv'), 'old');
    await expect(capture({ format: 'json', out: 'old.csv', cwd }).out.rows(failing(2), columns)).rejects.toThrow();
    expect(await readFile(join(cwd, 'old.csv'), 'utf8')).toBe('old');
    expect(await readdir(cwd)).toEqual(['old.csv']);
  });

  it('keeps mode and link of what it replaces', async () => {
    await mkdir(join(cwd, 'there'));
    const target = join(cwd, 'there', 'rows.csv');
    await writeFile(target, 'old');
    await chmod(target, 0o640);
    await symlink(target, join(cwd, 'link.csv'));
    await capture({ format: 'csv', out: 'link.csv', cwd }).out.rows([row(1)], columns);
    expect(await readFile(target, 'utf8')).toBe('id,n\nr1,1\n');
    expect((await stat(target)).mode & 0o777).toBe(0o640);
    expect(await readdir(join(cwd, 'there'))).toEqual(['rows.csv']);
  });

  it('takes - for stdout', async () => {
    const captured = capture({ format: 'csv', out: '-', cwd });
    await captured.out.rows([row(1)], columns);
    expect(captured.stdout()).toBe('id,n\nr1,1\n');
    expect(await readdir(cwd)).toEqual([]);
  });

  it('honours it for values, text and bytes', async () => {
    const given = { cwd, format: 'json', out: 'x' };
    const text = () => readFile(join(cwd, 'x'), 'utf8');
    await capture(given).out.value(row(1), columns);
    expect(await text()).toBe('{\n  "id": "r1",\n  "n": 1\n}\n');
    await capture(given).out.text('a text\n');
    expect(await text()).toBe('a text\n');
    await capture(given).out.bytes(new Uint8Array([0xff, 0x00]));
    expect([...(await readFile(join(cwd, 'x')))]).toEqual([0xff, 0x00]);
  });

  it('says what is wrong with a place before any row is read', async () => {
    const read = { count: 0 };
    for (const [out, message] of [
      ['none/rows.csv', '--out none/rows.csv cannot be written: its folder does not exist'],
      ['.', '--out . is a folder, and must be a file'],
    ] as const) {
      const captured = capture({ format: 'csv', out, cwd });
      await expect(captured.out.rows(counting(5, read), columns)).rejects.toThrow(message);
      await expect(captured.out.check()).rejects.toMatchObject({ kind: 'usage', message });
    }
    expect(read.count).toBe(0);
  });

  it('check leaves nothing behind', async () => {
    await capture({ format: 'csv', out: 'rows.csv', cwd }).out.check(columns);
    expect(await readdir(cwd)).toEqual([]);
  });
});
