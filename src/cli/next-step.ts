/** On a terminal, after a command has written: what people may do next. */
import type { Context, WriteLog } from './context.ts';

export function sayNext({ settings, out }: Context, command: string, { done, revertible }: WriteLog): void {
  if (command === 'undo' || revertible !== done) return;
  const { origin, value } = settings.profile;
  out.aside(`undo it with comem ${origin === 'flag' ? `-p ${value} ` : ''}undo`);
}
