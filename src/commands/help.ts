import { defineCommand, flag } from '../cli/define.ts';

export default defineCommand({
  path: 'help',
  summary: 'Show help on a noun, a verb or a topic',
  description:
    'Topics are conditions, flags, environment and exit-codes. With --json and no words: the whole command tree, for programs.',
  args: [{ name: 'WORD', summary: 'noun and verb, or a topic', optional: true, variadic: true }],
  flags: { long: flag.boolean('all that the man page has, such as every flag and rare rules') },
  examples: {
    'comem help entries list': 'the same as comem entries list --help',
    'comem help metrics series --long': 'the same with every flag and every rule',
    'comem help exit-codes': 'what each exit code means',
    'comem help --json': 'every command with its flags, as JSON',
  },
  stdout: 'text',
  async run(ctx, { args, flags }) {
    await ctx.out.text(await ctx.program.help(args.WORD, flags.long));
  },
});
