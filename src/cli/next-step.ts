/** On a terminal, after a command has written: what people may do next. */
import type { Context, WriteLog } from './context.ts';
import { asTyped } from './runtime.ts';

export function sayNext({ settings, out }: Context, command: string, { done, revertible }: WriteLog): void {
  if (command === 'undo' || revertible !== done) return;
  out.aside(`undo it with ${asTyped(settings, 'comem undo')}`);
}
