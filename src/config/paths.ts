import { homedir, platform } from 'node:os';
import { isAbsolute, join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The folders of comem: settings, databases, what may be deleted, and journals. */
export interface Paths {
  config: string;
  data: string;
  cache: string;
  state: string;
}

/**
 * XDG folders on every system, as `git` and `gh` have them; on Windows the roaming folder for settings and the local
 * one for the rest. A relative XDG variable is ignored, as its specification asks. `system` is for tests.
 */
export function paths(env: Environment, system: { platform: string; home: string } = machine(env)): Paths {
  const folder = (variable: string, windows: string | undefined, ...rest: string[]) => {
    const xdg = env[variable];
    if (xdg && isAbsolute(xdg)) return join(xdg, 'comem');
    if (system.platform === 'win32' && windows) return join(windows, 'comem', variable.slice(4, -5).toLowerCase());
    return join(system.home, ...rest, 'comem');
  };
  return {
    config: folder('XDG_CONFIG_HOME', env.APPDATA, '.config'),
    data: folder('XDG_DATA_HOME', env.LOCALAPPDATA, '.local', 'share'),
    cache: folder('XDG_CACHE_HOME', env.LOCALAPPDATA, '.cache'),
    state: folder('XDG_STATE_HOME', env.LOCALAPPDATA, '.local', 'state'),
  };
}

function machine(env: Environment): { platform: string; home: string } {
  return { platform: platform(), home: env.HOME || env.USERPROFILE || homedir() };
}
