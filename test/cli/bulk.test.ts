import { describe, expect, it } from 'vitest';
import { writeNamed } from '../../src/cli/bulk.ts';
import { deleteEntry } from '../../src/contract/entry-operations.ts';
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
  const calls = statuses.map((_, n) => ({
    name: `entry ${n}`,
    op: deleteEntry,
    input: { params: { listId: id(99) }, query: { entryId: id(n) } },
  }));
  return { ...scripted, ...(await writeNamed(scripted.ctx, calls, 'deleted', 'Delete?')) };
}

describe('writeNamed', () => {
  it('prepares all before it sends the first', async () => {
    const { prepared, requests, done, failure } = await deleting(204, 204);
    expect(prepared).toMatchObject([{ question: 'Delete?', calls: [{}, {}] }]);
    expect([requests.length, done.length, failure]).toEqual([2, 2, undefined]);
  });

  it('continues after a failure and is partly done', async () => {
    const { warnings, done, failure } = await deleting(204, 404, 204, 400);
    expect(done).toHaveLength(2);
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toMatch(/^entry 1 was not deleted: says 404/);
    expect(failure).toMatchObject({
      kind: 'partial',
      exitCode: 7,
      message: '2 of 4 were deleted, 2 failed',
      hint: 'failed: entry 1, entry 3',
      details: [
        { target: 'entry 1', status: 404 },
        { target: 'entry 3', status: 400 },
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
    const { failure, warnings } = await deleting(404);
    expect(failure?.message).toMatch(/^says 404/);
    expect(warnings).toEqual([]);
  });

  it('stops at a credential that is refused', async () => {
    const { requests, failure } = await deleting(204, 401, 204, 204);
    expect(requests).toHaveLength(2);
    expect(failure?.message).toBe('1 of 4 were deleted, 1 failed, 2 were not tried');
    expect((await deleting(403, 204)).failure).toMatchObject({ kind: 'credential', exitCode: 4 });
  });
});
