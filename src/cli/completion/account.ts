/** What completion knows of the settings: profiles, companies, and the names of the account that flags choose. */
import { keptNames } from '../../config/companies.ts';
import type { GlobalFlags } from '../../config/global-flags.ts';
import { companiesOf, findProfile, groupsOf, profileNames, readableProfiles } from '../../config/profile.ts';
import { resolveSettings } from '../../config/settings.ts';
import { type Environment, paths } from '../../config/store.ts';
import { keptNamesOf, type Names, type Offer } from './names.ts';

export interface Known {
  profiles: Offer[];
  companies: Offer[];
  groups: Offer[];
  calc: Offer[];
  /** Read only when it is asked for. */
  names(): Names;
}

const pipe = { stdinIsTTY: false, stdoutIsTTY: false, stderrIsTTY: false };
const noNames: Names = { lists: {}, metrics: [], grants: [] };

/** @throws what settings throw: the caller offers nothing then */
export function knownTo(flags: GlobalFlags, env: Environment): Known {
  const folders = paths(env);
  const profiles = readableProfiles(folders);
  const settings = resolveSettings(flags, env, profiles, pipe, (baseUrl) => keptNames(folders, baseUrl));
  const { value: name } = settings.profile;
  const profile = findProfile(profiles, name);
  const { value: baseUrl } = settings.baseUrl;
  const ids = keptNames(folders, baseUrl);
  return {
    profiles: profileNames(profiles).map((word) => ({ word, says: findProfile(profiles, word)?.baseUrl ?? '' })),
    companies: Object.entries(companiesOf(profile, name)).map(([word, id]) => ({ word, says: ids[id]?.name ?? id })),
    groups: Object.entries(groupsOf(profile, name)).map(([word, members]) => ({
      word,
      says: `${members.length} companies`,
    })),
    calc: Object.entries(settings.calc).map(([word, says]) => ({ word, says })),
    names() {
      const [company] = settings.companies.value;
      return baseUrl === undefined || company === undefined ? noNames : keptNamesOf(folders, { baseUrl, company });
    },
  };
}
