import { defaultProfile, findProfile, type ProfilesFile, type StoredSecret } from '../../config/profile.ts';
import type { ProfileRow } from './columns.ts';

/** A profile as `profiles` shows it; `file` must hold it. */
export function profileRow(file: ProfilesFile, name: string): ProfileRow {
  const profile = findProfile(file, name) ?? {};
  const { baseUrl, company, output, mirror, timeout, retries, companies = {} } = profile;
  return {
    name,
    current: name === (file.current ?? defaultProfile),
    baseUrl,
    company,
    output,
    mirror,
    readonly: profile.readonly ?? false,
    protected: profile.protected ?? false,
    allowHttp: profile.allowHttp ?? false,
    timeout,
    retries,
    key: stored(profile.key),
    session: stored(profile.session),
    companies,
  };
}

function stored(secret: StoredSecret | undefined): { storage: string; origin: string } | undefined {
  return secret && { storage: secret.storage, origin: secret.origin };
}
