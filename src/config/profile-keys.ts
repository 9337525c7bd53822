/** The settings of `comem profiles set`: their meanings and values. */
import { resolve } from 'node:path';
import { parseBaseUrl } from '../core/addresses.ts';
import { usage } from '../core/errors.ts';
import { resolveCompany, suggestAlias } from './companies.ts';
import { companiesOf, demoProfile, type Profile } from './profile.ts';
import {
  booleanValue,
  format,
  fromFolder,
  mirrorFolder,
  requestCount,
  seconds,
  wholeMebibytes,
  wholeNumber,
} from './settings.ts';

/** The target of a setting: the profile, its name, and the working folder for relative paths. */
interface SettingTarget {
  name: string;
  profile: Profile;
  cwd: string;
}

interface ProfileKey {
  /** Its field of the profile, if that is not the key in camel case. */
  field?: keyof Profile;
  says: string;
  /** The value that the text means. `key` is its name in messages. @throws usage */
  read(text: string, key: string, target: SettingTarget): Profile[keyof Profile];
}

export const profileKeys: Readonly<Record<string, ProfileKey>> = {
  'base-url': {
    says: "the API's address, or embedded:DIR",
    read: (text, key, { name, cwd }) => {
      if (name === demoProfile) throw usage('the base URL of the built-in profile "demo" cannot be changed');
      return fromFolder(parseBaseUrl(text, key), cwd);
    },
  },
  company: {
    says: 'the default company: a uuid or one of its aliases',
    read: (text, key, { name, profile }) => resolveCompany(text, companiesOf(profile, name), key, name),
  },
  output: { says: 'the format on a terminal', read: format },
  pager: { says: 'the command for long output, or off', read: (text) => text },
  readonly: { says: 'true: no writes are sent', read: booleanValue },
  protected: { says: 'true: every write asks for the name of the company', read: booleanValue },
  'allow-http': { says: 'true: credentials may travel over plain http', read: booleanValue },
  timeout: { says: 'seconds for one request', read: seconds },
  retries: { says: 'retries after a temporary failure', read: wholeNumber },
  'max-response': { says: 'mebibytes of a response at the most', read: wholeMebibytes },
  concurrency: { says: 'requests in flight at once when many are written', read: requestCount },
  'keep-undo': {
    says: 'true: writes read what they replace, so that `comem undo` works',
    read: booleanValue,
  },
  calc: {
    field: 'calcFile',
    says: 'a file of computed metrics, NAME = EXPRESSION on each line',
    read: (text, _, { cwd }) => resolve(cwd, text),
  },
  mirror: { says: 'the folder of its mirror', read: (text, key, { cwd }) => mirrorFolder(text, key, cwd) },
};

function fieldOf(key: string): keyof Profile {
  const camelCase = key.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return profileKeys[key]?.field ?? (camelCase as keyof Profile);
}

/**
 * Sets `key=value` words on a profile in place; `key=` takes a setting away.
 * @throws usage naming the key, the value and the rule; the profile may then be half changed and must not be kept
 */
export function setKeys(profile: Profile, words: readonly string[], name: string, cwd: string): void {
  for (const word of words) {
    const at = word.indexOf('=');
    const known = `the settings are ${Object.keys(profileKeys).join(', ')}`;
    if (at < 1) throw usage(`a setting is written key=value, but "${word}" is not`, known);
    const setting = word.slice(0, at);
    const text = word.slice(at + 1).trim();
    const entry = Object.entries(profileKeys).find(([key]) => setting === key || setting === fieldOf(key));
    if (!entry) throw usage(`unknown setting "${setting}"`, suggestAlias(setting, Object.keys(profileKeys)) + known);
    const [key, { read }] = entry;
    if (text === '' && !(name === demoProfile && key === 'base-url')) delete profile[fieldOf(key)];
    else Object.assign(profile, { [fieldOf(key)]: read(text, key, { name, profile, cwd }) });
  }
}
