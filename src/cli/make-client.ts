/** The client of a command: where it connects, with which credentials, and how it names flags. */
import { type Client, createClient } from '../client/client.ts';
import { connect } from '../client/connect.ts';
import type { Connection } from '../client/network.ts';
import { resolveCredentials } from '../config/credentials.ts';
import type { Paths } from '../config/paths.ts';
import { type ProfilesFile, profileNames } from '../config/profile.ts';
import type { Settings } from '../config/setting.ts';
import { nearest } from '../domain/nearest.ts';
import { type Failure, usage } from '../errors.ts';
import type { Output } from '../output/output.ts';
import type { Runtime } from './context.ts';
import type { AnyCommand } from './define.ts';
import { flagOfField } from './flag-names.ts';
import { version } from './version.ts';

export interface ClientParts {
  command: AnyCommand;
  settings: Settings;
  profiles: ProfilesFile;
  folders: Paths;
  runtime: Runtime;
  out: Output;
  connection?: Connection;
}

/** @throws usage when there is no such profile, or no base URL is set anywhere */
export function makeClient(parts: ClientParts): Client {
  const { command, settings, profiles, folders, runtime, out, connection } = parts;
  const { env, signal, now, random } = runtime;
  const profile = settings.profile.value;
  if (!settings.profileExists) throw noProfile(profile, profileNames(profiles));
  const baseUrl = settings.baseUrl.value;
  if (baseUrl === undefined) {
    throw usage(
      'no base URL is set: comem does not know which API to talk to',
      'run `comem auth login`, set COMEM_BASE_URL, or use the demo with -p demo',
    );
  }
  const connected = connect({
    baseUrl,
    timeoutMs: settings.timeoutMs.value,
    retries: settings.retries.value,
    env,
    allowHttp: settings.allowHttp,
    note: (text) => out.note(text),
    log: settings.verbose ? (line) => runtime.stderr.write(`${line}\n`) : undefined,
    now,
    random,
    dataDir: folders.data,
    connection,
  });
  return createClient({
    ...connected,
    credentials: resolveCredentials(settings, { env, paths: folders, profiles, signal }),
    company: settings.companies.value.length === 1 ? settings.companies.value[0] : undefined,
    headers: { 'user-agent': `comem/${version}` },
    profile,
    signal,
    fieldName: ({ name }) => flagOfField(name, command.flags),
    note: (text) => out.note(text),
  });
}

function noProfile(name: string, names: readonly string[]): Failure {
  const near = nearest(name, names);
  return usage(
    `there is no profile "${name}"`,
    near ? `did you mean "${near}"?` : `\`comem auth login -p ${name}\` makes it; there are: ${names.join(', ')}`,
  );
}
