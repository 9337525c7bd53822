/** The steps of the tour, shown on a terminal one command at a time, in a folder of its own. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Context, Runtime } from '../cli/context.ts';
import { defineCommand } from '../cli/define.ts';
import { askText } from '../cli/prompts.ts';
import { runtimeWith, writeText } from '../cli/runtime.ts';
import { Failure } from '../core/errors.ts';
import { temporaryFolder } from '../core/files.ts';
import { foldedCommand, foldLines, painter } from '../output/terminal-text.ts';

export default defineCommand({
  path: 'tour',
  summary: 'Show comem in five minutes, on demo data',
  description: [
    'Each step shows a command, runs it when you press Enter, and says what to see. Type s to skip a step, q to end the tour.',
    'The commands run on demo data in a temporary folder, which is removed at the end. Your settings, credentials and your own demo data are neither read nor changed. Without a terminal the steps are only printed.',
  ].join('\n\n'),
  examples: {
    'comem tour': 'one command at a time',
    'comem tour --no-input': 'print the steps and run nothing',
    'comem tour --no-input --out tour.txt': 'the steps in a file',
  },
  stdout: 'text',
  ignoresBadSettings: true,
  async run(ctx) {
    const { terminal } = ctx.runtime;
    if (ctx.settings.input && terminal.stdoutIsTTY) return walk(ctx, steps);
    const columns = terminal.stdoutIsTTY ? terminal.columns : Number.POSITIVE_INFINITY;
    const texts = steps.map((step, at) => {
      const command = foldedCommand(`$ ${commandLine(step)}`, columns, '   ').join('\n');
      return `${foldLines(`${at + 1}. ${step.says}`, columns)}\n${command}\n${foldLines(`   ${step.see}`, columns)}\n`;
    });
    await ctx.out.text(texts.join('\n'));
  },
});

/** @throws interrupted at Esc, ^C and ^D */
async function walk(ctx: Context, steps: readonly Step[]): Promise<void> {
  const { runtime, program } = ctx;
  const folder = temporaryFolder('tour', runtime.env.TMPDIR);
  const isolated = tourRuntime(runtime, folder);
  const paint = await painter(runtime.terminal.color.stderr);
  const say = (text: string) => writeText(runtime.stderr, `${text}\n`);
  const tell = (text: string, color?: 'dim') => {
    const lines = foldLines(text, runtime.terminal.columns).split('\n');
    return say(lines.map((line) => (color ? paint(color, line) : line)).join('\n'));
  };
  try {
    await tell(
      `comem in ${steps.length} steps, on demo data in a temporary folder. Nothing of yours is read or changed.`,
    );
    for (const [at, step] of steps.entries()) {
      const command = foldedCommand(`$ ${commandLine(step)}`, runtime.terminal.columns, '');
      await say(`\n${paint('dim', `${at + 1}/${steps.length}`)}  ${step.says}`);
      await say(command.map((line) => paint('cyan', line)).join('\n'));
      const answer = await askText(runtime, { message: 'Enter runs it, s skips it, q ends:' });
      if (answer === 'q') break;
      if (answer === 's') continue;
      const code = await program.run(['-p', 'demo', ...step.words], isolated);
      if (runtime.signal.aborted) throw new Failure('interrupted', 'interrupted');
      if (code !== 0) await say(`The command ended with exit code ${code}.`);
      await tell(step.see, 'dim');
    }
    await tell('\nYour own company: `comem init`. All commands: `comem help`.');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same terminal, with settings and data of its own. */
function tourRuntime(runtime: Runtime, folder: string): Runtime {
  const others = Object.entries(runtime.env).filter(([name]) => !name.startsWith('COMEM_'));
  const xdg = ['CONFIG', 'DATA', 'CACHE', 'STATE'].map((kind) => [
    `XDG_${kind}_HOME`,
    join(folder, kind.toLowerCase()),
  ]);
  const env = { ...Object.fromEntries([...others, ...xdg]), COMEM_PAGER: 'off' };
  return runtimeWith(runtime, { env, cwd: folder, now: () => new Date() });
}

interface Step {
  says: string;
  /** The words after `comem -p demo`. */
  words: readonly string[];
  see: string;
}

const step = (says: string, words: string, see: string): Step => ({
  says,
  words: [...words.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? ''),
  see,
});

export const steps: readonly Step[] = [
  step(
    'Which lists does the company have?',
    'lists list --fields name,slug,list_attributes_count',
    'The second column is what commands call a list.',
  ),
  step(
    'The largest deals in diligence',
    "entries list deal-pipeline --where 'stage = Diligence' --sort valuation:desc --limit 3 --fields title,sector,valuation",
    '--where takes any expression: and, or, dates, numbers such as 20M.',
  ),
  step(
    'How many deals are in each stage?',
    'entries count deal-pipeline --by stage',
    'Stages without a deal are counted, too.',
  ),
  step(
    'Revenue and cash burn of the last three months',
    'metrics table -m mrr,burn --last 3',
    'Numbers come with their unit and their latest change.',
  ),
  step('The same as a chart', 'metrics chart -m mrr --last 12', '--out mrr.html writes it as a page for a browser.'),
  step(
    'Two metrics as CSV, for a spreadsheet',
    'metrics series -m mrr,arr --last 6 --fields periodKey,mrr,arr -o csv',
    'Every digit is there. --out FILE writes a file, also .xlsx and .parquet.',
  ),
  step(
    'Who may read our metrics?',
    "grants list --where 'status = active' --fields recipient_company_id,metric_ids,expires_at",
    'A grant lets another company or a user read metrics.',
  ),
  step(
    'Revoke what cedar may read',
    'grants revoke --recipient cedar --yes',
    'Without --yes it shows what it would do, and asks.',
  ),
  step(
    'Change one entry',
    "entries update deal-pipeline 'Kite Logistics' --set stage=Invested --fields title,stage",
    'The option is given by its label; an unknown one is refused.',
  ),
  step('And undo the change', 'undo --yes', '`comem history` lists what was written.'),
  step(
    'Does the list hold what it should?',
    "check entries deal-pipeline --expect 'count >= 100' --expect 'unique(title)'",
    'A check that fails ends with exit code 1: made for CI.',
  ),
];

/** The command line as a person types it. */
function commandLine({ words }: Step): string {
  return ['comem', '-p', 'demo', ...words.map((word) => (/^[\w./:=,@-]+$/.test(word) ? word : `'${word}'`))].join(' ');
}
