import { describe, expect, it } from 'vitest';
import { planCall, type Reported, type RowStep, rowsVerdict, writeRows } from '../../src/cli/bulk.ts';
import { deleteEntry } from '../../src/contract/entry-operations.ts';
import type { Failure } from '../../src/core/errors.ts';
import { scriptedContext } from '../helpers/scripted-context.ts';

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** Deletes one entry for each status that the server shall answer with. */
async function deleting(...statuses: number[]) {
  const scripted = scriptedContext(
    ({ query }) => {
      const status = statuses[Number(query.get('entryId')?.slice(-12))] ?? 500;
      return status === 204 ? { status } : { status, body: { error: `says ${status}`, status } };
    },
    { retries: { value: 0 } },
  );
  const { ctx } = scripted;
  const client = await ctx.client();
  const steps = statuses.map((_, n): RowStep<Row> => {
    const input = { params: { listId: id(99) }, query: { entryId: id(n) } };
    const send = async () => {
      await client.call(deleteEntry, input);
      return { outcome: 'deleted' };
    };
    return { row: { n }, call: planCall(deleteEntry, input), step: { send } };
  });
  let rows: readonly Row[] = [];
  const verdict = (results: readonly Reported<Row>[]) => rowsVerdict(results, (failed, all) => `${failed} of ${all}`);
  const printWritten = async (written: readonly Row[]) => {
    rows = written;
  };
  const job = {
    plan: [],
    question: 'Delete?',
    doing: 'Deleting',
    columns: [],
    counted: ['deleted', 'failed'],
    name: String,
  };
  const failure = await writeRows<Row>(ctx, { ...job, steps, options: { concurrency: 1 }, printWritten, verdict }).then(
    () => undefined,
    (error: Failure) => error,
  );
  return { ...scripted, rows, failure };
}

interface Row {
  n: number;
  outcome: string;
  error: string | null;
}

describe('writeRows', () => {
  it('prepares all before it sends the first', async () => {
    const { prepared, requests, rows, failure } = await deleting(204, 204);
    expect(prepared).toMatchObject([{ question: 'Delete?', calls: [{}, {}] }]);
    expect([requests.length, rows.map(({ outcome }) => outcome), failure]).toEqual([
      2,
      ['deleted', 'deleted'],
      undefined,
    ]);
  });

  it('continues after a failure and is partly done', async () => {
    const { rows, failure } = await deleting(204, 404, 204, 400);
    expect(rows.map(({ outcome }) => outcome)).toEqual(['deleted', 'failed', 'deleted', 'failed']);
    expect(failure).toMatchObject({
      kind: 'partial',
      exitCode: 7,
      message: '2 of 4',
      details: [
        { n: 1, status: 404 },
        { n: 3, status: 400 },
      ],
    });
  });

  it('is of the class that all failures share', async () => {
    expect((await deleting(404, 404)).failure).toMatchObject({ kind: 'notFound', exitCode: 3 });
  });

  it('is rejected when all failed for different reasons', async () => {
    expect((await deleting(404, 503)).failure).toMatchObject({ kind: 'rejected', exitCode: 6 });
  });

  it('gives the failure of a single target as it is', async () => {
    expect((await deleting(404)).failure?.message).toMatch(/^says 404/);
  });

  it('stops at a credential that is refused, and says what was not tried', async () => {
    const { requests, rows, failure } = await deleting(204, 401, 204, 204);
    expect(requests).toHaveLength(2);
    expect(rows.map(({ outcome }) => outcome)).toEqual(['deleted', 'failed', 'not_tried', 'not_tried']);
    expect(failure?.message).toBe('1 of 4, 2 were not tried');
    expect((await deleting(403, 204)).failure).toMatchObject({ kind: 'credential', exitCode: 4 });
  });
});
