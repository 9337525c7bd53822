/** What `doctor` looks at on this machine: versions, files and their modes, keyring, embedded database. */
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { versions } from 'node:process';
import { version } from '../../../package.json';
import type { Context } from '../../cli/context.ts';
import { privacyOf, whyNotWritable } from '../../config/health.ts';
import { loadProfiles, profilesPath } from '../../config/profile.ts';
import { secretsPath, tryKeyring } from '../../config/secrets.ts';
import { embeddedFolder, fromFolder, isEmbedded } from '../../config/settings.ts';
import type { Finding } from './columns.ts';
import { attempt, note, ok, wrong } from './findings.ts';

/** Other checks depend on this one. */
export const settingsFile = 'settings file';

/** In the order in which they are shown. */
export async function examineMachine(ctx: Context): Promise<Finding[]> {
  const { folders } = ctx;
  return [
    ok('comem', version),
    ok('Node', `${versions.node} on ${platform()} ${arch()}`),
    ...proxies(ctx),
    isPrivate('settings folder', folders.config, '700'),
    await attempt(settingsFile, () => {
      loadProfiles(folders);
      return isPrivate(settingsFile, profilesPath(folders), '600');
    }),
    isPrivate('secrets file', secretsPath(folders), '600'),
    await keyring(),
    await attempt('embedded database', () => database(ctx)),
    writable('journals', folders.state),
    writable('caches', folders.cache),
  ];
}

/** Proxy variables are easily forgotten. Passwords in them are not shown. */
function proxies({ runtime: { env } }: Context): Finding[] {
  const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].filter((name) => env[name]);
  if (names.length === 0) return [];
  const says = names.map((name) => `${name}=${env[name]?.replace(/\/\/[^/@]*@/, '//[redacted]@')}`);
  const except = env.no_proxy || env.NO_PROXY;
  return [note('proxy', `${says.join(', ')}${except ? `, but not for ${except}` : ''}`)];
}

function isPrivate(check: string, path: string, mode: string): Finding {
  const found = privacyOf(path);
  if (found.mode === undefined) return ok(check, `${path} does not exist yet`);
  const says = `${path}, mode 0${found.mode.toString(8).padStart(3, '0')}`;
  return found.open ? wrong(check, `${says}: other users can access it`, `chmod ${mode} '${path}'`) : ok(check, says);
}

async function keyring(): Promise<Finding> {
  const why = await tryKeyring((found) => {
    found.get('doctor');
  });
  if (why === undefined) return ok('keyring', 'works');
  return note('keyring', `does not work: ${why}`, 'secrets are saved in a file of mode 0600; or use --key-command');
}

async function database({ settings, folders, runtime }: Context): Promise<Finding> {
  const baseUrl = settings.baseUrl.value;
  const own =
    baseUrl !== undefined && isEmbedded(baseUrl) ? embeddedFolder(fromFolder(baseUrl, runtime.cwd)) : undefined;
  const folder = own ?? join(folders.data, 'demo');
  const { checkEngine } = await import('../../client/embedded.ts');
  const broken = await checkEngine();
  if (broken !== undefined) {
    return wrong('embedded database', `SQLite does not load: ${broken}`, 'install comem again on this machine');
  }
  return writable('embedded database', folder);
}

function writable(check: string, folder: string): Finding {
  const why = whyNotWritable(folder);
  return why === undefined ? ok(check, folder) : wrong(check, why, `allow this user to write to ${folder}`);
}
