/** On a terminal, after a command has written: what people may do next. */
import type { Context, WriteLog } from './context.ts';
import type { AnyCommand } from './define.ts';
import { asTyped } from './runtime.ts';

export function sayNext({ settings, out }: Context, { reverts }: AnyCommand, { done, revertible }: WriteLog): void {
  if (reverts || revertible !== done) return;
  out.aside(`undo it with ${asTyped(settings, 'comem undo')}`);
}
