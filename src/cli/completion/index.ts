import type { Tree } from '../tree.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { completionModel } from './model.ts';
import { zshCompletion } from './zsh.ts';

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

export async function completionScript(tree: Tree, shell: Shell): Promise<string> {
  return scripts[shell](await completionModel(tree));
}
