import { completionScript, shells } from '../../cli/completion/scripts.ts';
import { defineCommand } from '../../cli/define.ts';

export default defineCommand({
  path: 'completion',
  summary: 'Print a completion script for a shell',
  description:
    'The script completes words, flags, files and names: profiles, companies, lists, attributes, options, metrics, grants. Commands that read names keep them, and a Tab sends no request.',
  args: [{ name: 'SHELL', summary: 'bash, zsh, fish or powershell', choices: shells }],
  examples: [
    { run: 'source <(comem completion bash)', says: 'in ~/.bashrc' },
    { run: 'source <(comem completion zsh)', says: 'in ~/.zshrc, after compinit' },
    { run: 'comem completion fish > ~/.config/fish/completions/comem.fish', says: 'for fish' },
    { run: 'comem completion powershell | Out-String | Invoke-Expression', says: 'in $PROFILE' },
  ],
  stdout: 'text',
  async run(ctx, { args }) {
    await ctx.out.text(completionScript(args.SHELL));
  },
});
