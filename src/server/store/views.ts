import type { Selectable } from './kysely.ts';
import type { Db, ViewTable } from './schema.ts';

export function viewById(db: Db, id: string, companyId: string): Promise<Selectable<ViewTable> | undefined> {
  return db
    .selectFrom('saved_views')
    .selectAll()
    .where('id', '=', id)
    .where('company_id', '=', companyId)
    .executeTakeFirst();
}
