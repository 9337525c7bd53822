/** What stands in the places of `--out 'series-{company}-{date}.csv'`. */
import type { Settings } from '../config/setting.ts';
import { fileName } from '../output/file-name.ts';
import type { Runtime } from './context.ts';

/** Fills the places of a name; for one company of several, those of its own file. */
export function nameOut(settings: Settings, runtime: Pick<Runtime, 'now'>, companyId?: string) {
  return (pattern: string): string => {
    const [only, ...others] = settings.companies.value;
    const company = companyId ?? (others.length > 0 ? undefined : only);
    const alias = Object.entries(settings.aliases).find(([, id]) => id === company)?.[0];
    return fileName(pattern, {
      company: alias ?? company,
      date: runtime.now().toISOString().slice(0, 10),
      profile: settings.profile.value,
    });
  };
}
