/** The settings of a profile that `comem profiles set` takes: what each means and what it may be. */
import { resolve } from 'node:path';
import { parseBaseUrl } from '../core/addresses.ts';
import { usage } from '../core/errors.ts';
import { resolveCompany, suggested } from './companies.ts';
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
  field: keyof Profile;
  says: string;
  /** The value that the text means. `key` is its name in messages. @throws usage */
  read(text: string, key: string, target: SettingTarget): Profile[keyof Profile];
}

export const profileKeys: Readonly<Record<string, ProfileKey>> = {
  'base-url': {
    field: 'baseUrl',
    says: "the API's address, or embedded:DIR",
    read: (text, key, { name, cwd }) => {
      if (name === demoProfile) throw usage('the base URL of the built-in profile "demo" cannot be changed');
      return fromFolder(parseBaseUrl(text, key), cwd);
    },
  },
  company: {
    field: 'company',
    says: 'the default company: a uuid or one of its aliases',
    read: (text, key, { name, profile }) => resolveCompany(text, companiesOf(profile, name), key, name),
  },
  output: {
    field: 'output',
    says: 'the format on a terminal',
    read: format,
  },
  pager: {
    field: 'pager',
    says: 'the command for long output, or off',
    read: (text) => text,
  },
  readonly: {
    field: 'readonly',
    says: 'true: no writes are sent',
    read: booleanValue,
  },
  protected: {
    field: 'protected',
    says: 'true: every write asks for the name of the company',
    read: booleanValue,
  },
  'allow-http': {
    field: 'allowHttp',
    says: 'true: credentials may travel over plain http',
    read: booleanValue,
  },
  timeout: {
    field: 'timeout',
    says: 'seconds for one request',
    read: seconds,
  },
  retries: {
    field: 'retries',
    says: 'retries after a temporary failure',
    read: wholeNumber,
  },
  'max-response': {
    field: 'maxResponse',
    says: 'mebibytes of a response at the most',
    read: wholeMebibytes,
  },
  concurrency: {
    field: 'concurrency',
    says: 'requests in flight at once when many are written',
    read: requestCount,
  },
  'keep-undo': {
    field: 'keepUndo',
    says: 'true: writes read what they replace, so that `comem undo` works',
    read: booleanValue,
  },
  calc: {
    field: 'calcFile',
    says: 'a file of computed metrics, NAME = EXPRESSION on each line',
    read: (text, _, { cwd }) => resolve(cwd, text),
  },
  mirror: {
    field: 'mirror',
    says: 'the folder of its mirror',
    read: (text, key, { cwd }) => mirrorFolder(text, key, cwd),
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
    const setting = word.slice(0, at);
    const text = word.slice(at + 1).trim();
    const entry = Object.entries(profileKeys).find(([kebab, { field }]) => setting === kebab || setting === field);
    if (!entry) throw usage(`unknown setting "${setting}"`, suggested(setting, Object.keys(profileKeys)) + known);
    const [key, { field, read }] = entry;
    if (text === '' && !(name === demoProfile && field === 'baseUrl')) delete profile[field];
    else Object.assign(profile, { [field]: read(text, key, { name, profile, cwd }) });
  }
}
