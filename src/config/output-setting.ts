import { usage } from '../core/errors.ts';
import { formatOfFile } from '../core/output-formats.ts';
import type { Environment } from './paths.ts';
import type { Profile } from './profile.ts';
import type { GivenFlags, Setting, Streams } from './setting.ts';
import { format } from './setting-values.ts';

/** The flag, the extension of `--out`, the environment, the profile on a terminal; undefined: table or tsv. */
export function outputSetting(
  flags: GivenFlags,
  env: Environment,
  profile: Profile,
  terminal: Streams,
  name: string,
): Setting<string | undefined> {
  if (flags.output !== undefined) return { value: format(flags.output, '--output'), origin: 'flag', from: '--output' };
  if (flags.json || flags.jq !== undefined) {
    return { value: 'json', origin: 'flag', from: flags.json ? '--json' : '--jq' };
  }
  if (flags.csv) return { value: 'csv', origin: 'flag', from: '--csv' };
  const extension = flags.out === undefined ? undefined : formatOfFile(flags.out);
  if (extension) return { value: extension, origin: 'flag', from: '--out' };
  if (env.COMEM_OUTPUT) {
    return { value: format(env.COMEM_OUTPUT, 'COMEM_OUTPUT'), origin: 'environment', from: 'COMEM_OUTPUT' };
  }
  if (profile.output && terminal.stdoutIsTTY && flags.out === undefined) {
    const from = `profile "${name}"`;
    return { value: format(profile.output, from), origin: 'profile', from };
  }
  return { value: undefined, origin: 'default', from: 'default' };
}

/** @throws usage when flags of the output exclude each other */
export function refuseContradictions(flags: GivenFlags): void {
  const asked = [flags.output, flags.json ? 'json' : undefined, flags.csv ? 'csv' : undefined].filter(Boolean);
  if (new Set(asked).size > 1) {
    throw usage(`only one output format can be written, but ${asked.join(' and ')} were asked for`);
  }
  if (flags.jq !== undefined && asked[0] !== undefined && asked[0] !== 'json') {
    throw usage(`--jq prints JSON and cannot go with -o ${asked[0]}`);
  }
  if (!flags.raw) return;
  const beside = flags.fields !== undefined ? '--fields' : flags.jq !== undefined ? '--jq' : asked[0] && '-o';
  if (beside) throw usage(`--raw prints the body as it was received and cannot go with ${beside}`);
}

/** The names of `--fields`. */
export function splitFields(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw usage(`--fields must be names separated by commas, but is "${text}"`);
  return names;
}
