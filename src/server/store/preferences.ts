import type { Selectable } from './kysely.ts';
import type { Db, PreferencesTable } from './schema.ts';

export type PreferencesRow = Selectable<PreferencesTable>;

export function preferencesOf(db: Db, companyId: string): Promise<PreferencesRow | undefined> {
  return db.selectFrom('metric_preferences').selectAll().where('company_id', '=', companyId).executeTakeFirst();
}

export async function putPreferences(db: Db, row: PreferencesRow): Promise<void> {
  const { id: _, company_id: __, created_at: ___, ...change } = row;
  await db
    .insertInto('metric_preferences')
    .values(row)
    .onConflict((c) => c.column('company_id').doUpdateSet(change))
    .execute();
}
