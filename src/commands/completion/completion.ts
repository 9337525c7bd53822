import { completionScripts } from '../../cli/completion/scripts.ts';
import { defineCommand } from '../../cli/define.ts';

export default defineCommand({
  path: 'completion',
  summary: 'Print a completion script for a shell',
  description:
    'The script completes words, flags, files and names: profiles, companies, lists, attributes, options, metrics, grants. Commands that read names keep them, and a Tab sends no request.',
  args: [{ name: 'SHELL', summary: 'bash, zsh, fish or powershell', choices: ['bash', 'zsh', 'fish', 'powershell'] }],
  examples: {
    'source <(comem completion bash)': 'in ~/.bashrc',
    'source <(comem completion zsh)': 'in ~/.zshrc, after compinit',
    'comem completion fish > ~/.config/fish/completions/comem.fish': 'for fish',
    'comem completion powershell | Out-String | Invoke-Expression': 'in $PROFILE',
  },
  stdout: 'text',
  async run(ctx, { args }) {
    await ctx.out.text(completionScripts[args.SHELL]);
  },
});
