/** What is asked: the same for prompts that redraw the screen and for those that do not. */
import { Failure } from '../core/errors.ts';

export interface Question {
  message: string;
  default?: string | undefined;
  /** True, or the sentence that says what is wrong with the answer; asked again until it is true. */
  validate?(answer: string): true | string;
}

/** One of the things that a person may choose. */
export interface Choice<T = string> {
  value: T;
  name: string;
  /** Shown below the list while it is the current one. */
  description?: string;
}

export interface Choosing<T> {
  message: string;
  /** What matches the text that was typed; without text the first ones. */
  find(text: string): Promise<readonly Choice<T>[]>;
}

/** What every prompt throws when the person leaves it. */
export function left(cause?: unknown): Failure {
  return new Failure('interrupted', 'interrupted at a prompt; nothing was changed', { cause });
}
