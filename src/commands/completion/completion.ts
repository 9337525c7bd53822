import { shells } from '../../cli/completion/index.ts';
import { defineCommand } from '../../cli/define.ts';

export default defineCommand({
  path: 'completion',
  summary: 'Print a completion script for a shell',
  description: 'The script completes nouns, verbs, flags and their values. It sends no requests.',
  operations: [],
  args: [{ name: 'SHELL', summary: 'bash, zsh or fish', choices: shells }],
  flags: {},
  examples: [
    { run: 'source <(comem completion bash)', says: 'in ~/.bashrc' },
    { run: 'source <(comem completion zsh)', says: 'in ~/.zshrc, after compinit' },
    { run: 'comem completion fish > ~/.config/fish/completions/comem.fish', says: 'for fish' },
  ],
  stdout: 'text',
  async run(ctx, { args }) {
    await ctx.out.text(await ctx.program.completion(args.SHELL));
  },
});
