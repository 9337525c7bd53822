/** Reads what completion offers; the client keeps the names in it. */
import type { Context } from '../../cli/context.ts';
import { getList, listLists } from '../../contract/list-operations.ts';
import { getMetricCatalog, listGrants } from '../../contract/metric-operations.ts';
import { isFailedPart } from '../../core/errors.ts';

export async function readNames(ctx: Context): Promise<void> {
  const companyId = ctx.requireCompany();
  const client = await ctx.client();
  const lists = (await tried(ctx, 'lists', () => client.call(listLists, { query: { companyId } }))) ?? [];
  for (const { id, name = '' } of lists) {
    ctx.out.progress(`Reading ${name}`);
    if (id !== undefined) await tried(ctx, `list "${name}"`, () => client.call(getList, { params: { listId: id } }));
  }
  ctx.out.progress(undefined);
  const catalog = await tried(ctx, 'metrics', () => client.call(getMetricCatalog, {}));
  const grants = await tried(ctx, 'grants', () => client.call(listGrants));
  const [metrics, granted] = [catalog?.definitions.length ?? 0, grants?.length ?? 0];
  ctx.out.note(`Completion knows ${lists.length} lists, ${metrics} metrics and ${granted} grants.`);
}

/** A credential may be enough for some of them. */
async function tried<T>(ctx: Context, what: string, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!isFailedPart(error)) throw error;
    ctx.out.warn(`cannot read ${what}: ${error.message}`);
    return undefined;
  }
}
