/** How a command is written, in one line. */
import type { AnyCommand, Argument, Flags } from './define.ts';
import { longName } from './define.ts';
import { globalFlags } from './global-flags.ts';

/** What of the flags is global: all of them but those that the command has itself. */
export function globalsBeside(own: Flags): Flags {
  const shorts = new Set(Object.values(own).map(({ short }) => short));
  return Object.fromEntries(
    Object.entries(globalFlags as Flags)
      .filter(([key]) => !Object.hasOwn(own, key))
      .map(([key, flag]) => [key, flag.short && shorts.has(flag.short) ? { ...flag, short: undefined } : flag]),
  );
}

/** The line that shows how a command is written. */
export function usageLine(command: AnyCommand): string {
  return `usage: ${synopsis(command)}`;
}

export function synopsis(command: AnyCommand): string {
  const args = (command.args as readonly Argument[]).map(({ name, optional, variadic }) => {
    const word = `${name.toUpperCase()}${variadic ? '...' : ''}`;
    return optional ? `[${word}]` : word;
  });
  const required = Object.entries(command.flags as Flags).flatMap(([key, { required, value }]) =>
    required ? [`${longName(key)} ${value}`] : [],
  );
  return ['comem', command.path, ...args, ...required, '[flags]'].join(' ');
}
