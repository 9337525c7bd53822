/** The settings of a profile that `comem profiles set` takes: what each means and what it may be. */
import { usage } from '../core/errors.ts';
import { companiesOf, demoProfile, type Profile, resolveCompany, suggested } from './profile.ts';
import { format, fromFolder, parseBaseUrl, seconds, truth, wholeNumber } from './setting.ts';

/** Where a value is set: the profile's name for messages, the working folder for relative ones. */
interface Place {
  name: string;
  cwd: string;
}

interface ProfileKey {
  field: keyof Profile;
  says: string;
  set(profile: Profile, text: string, place: Place): void;
}

export const profileKeys: Readonly<Record<string, ProfileKey>> = {
  'base-url': {
    field: 'baseUrl',
    says: "the API's address, or embedded:DIR",
    set: (profile, text, { name, cwd }) => {
      if (name === demoProfile) throw usage('the base URL of the built-in profile "demo" cannot be changed');
      profile.baseUrl = fromFolder(parseBaseUrl(text, 'base-url'), cwd);
    },
  },
  company: {
    field: 'company',
    says: 'the default company: a uuid or one of its aliases',
    set: (profile, text, { name }) => {
      profile.company = resolveCompany(text, companiesOf(profile, name), 'company', name);
    },
  },
  output: {
    field: 'output',
    says: 'the format on a terminal',
    set: (profile, text) => {
      profile.output = format(text, 'output');
    },
  },
  readonly: {
    field: 'readonly',
    says: 'true: no writes are sent',
    set: (profile, text) => {
      profile.readonly = truth(text, 'readonly');
    },
  },
  protected: {
    field: 'protected',
    says: 'true: every write asks for the name of the company',
    set: (profile, text) => {
      profile.protected = truth(text, 'protected');
    },
  },
  'allow-http': {
    field: 'allowHttp',
    says: 'true: credentials may travel over plain http',
    set: (profile, text) => {
      profile.allowHttp = truth(text, 'allow-http');
    },
  },
  timeout: {
    field: 'timeout',
    says: 'seconds for one request',
    set: (profile, text) => {
      profile.timeout = seconds(text, 'timeout');
    },
  },
  retries: {
    field: 'retries',
    says: 'retries of a request that failed for now',
    set: (profile, text) => {
      profile.retries = wholeNumber(text, 'retries');
    },
  },
};

/**
 * Sets `key=value` words on a profile in place; `key=` takes a setting away.
 * @throws usage naming the key, the value and the rule; the profile may then be half changed and must not be kept
 */
export function setKeys(profile: Profile, words: readonly string[], name: string, cwd: string): void {
  for (const word of words) {
    const at = word.indexOf('=');
    const known = `the settings are ${Object.keys(profileKeys).join(', ')}`;
    if (at < 1) throw usage(`a setting is written key=value, but "${word}" is not`, known);
    const given = word.slice(0, at);
    const text = word.slice(at + 1).trim();
    const key = Object.entries(profileKeys).find(([kebab, { field }]) => given === kebab || given === field)?.[1];
    if (!key) throw usage(`unknown setting "${given}"`, suggested(given, Object.keys(profileKeys)) + known);
    if (text === '' && !(name === demoProfile && key.field === 'baseUrl')) delete profile[key.field];
    else key.set(profile, text, { name, cwd });
  }
}
