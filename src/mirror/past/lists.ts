/** Lists and attributes as they were. */
import type { operations } from '../../contract/index.ts';
import type { CustomListAttribute, CustomListSummary, CustomListWithAttributes } from '../../contract/lists.ts';
import type { Operation, Result } from '../../contract/operation.ts';
import type { Resource } from '../../domain/history/versions.ts';
import type { Answer } from '../../server/handlers/handler.ts';
import { notFound } from '../../server/model/failure.ts';
import { bodyOf, inOrderOf, notMirrored, type PastCall, type State } from './state.ts';

export type Reader<O extends Operation> = (state: State, call: PastCall<O>) => Promise<Answer<Result<O>>>;

const inTheirOrder = inOrderOf('position', 'created_at', 'id');

export const listLists: Reader<typeof operations.listLists> = async (state, { companies }) => {
  const resources: Resource[] = [];
  for (const company of companies) {
    await state.requirePart('lists', company, 'the lists of this company');
    resources.push(...(await state.resources('list', company)));
  }
  const narrow = await state.narrowedTo('lists');
  if (narrow) state.warn(`the mirror holds only the lists that its syncs named: ${[...narrow].join(', ') || 'none'}`);
  const body = await Promise.all(
    resources.sort(inTheirOrder).map(async (list) => {
      const attributes = await state.resources('attribute', list.id);
      return { ...bodyOf<CustomListSummary>(list), list_attributes_count: attributes.length };
    }),
  );
  return { body };
};

export const getList: Reader<typeof operations.getList> = async (state, call) => {
  const list = await requireList(state, call);
  const attributes = await attributesOf(state, list.id);
  const list_attributes = attributes.map(bodyOf<CustomListAttribute>);
  return { body: { ...bodyOf<CustomListWithAttributes>(list), list_attributes } };
};

/** The list, if one of the companies had it; 404 as the API answers it. */
export async function requireList(
  state: State,
  { params: { listId }, companies }: Pick<PastCall, 'companies'> & { params: { listId: string } },
): Promise<Resource> {
  for (const company of companies) {
    const list = await state.resource('list', company, listId);
    if (list) return list;
  }
  if (await state.narrowedTo('lists')) throw notMirrored('this list, or it was not there');
  throw notFound('list', listId);
}

export async function attributesOf(state: State, listId: string): Promise<Resource[]> {
  return (await state.resources('attribute', listId)).toSorted(inTheirOrder);
}
