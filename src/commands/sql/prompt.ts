/** The prompt of `comem sql` on a terminal: statements of several lines, commands that begin with a dot, history. */
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Context } from '../../cli/context.ts';
import { asFailure, report } from '../../cli/report.ts';
import { nameOut } from '../../cli/show.ts';
import { type Failure, usage } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import { formatOfFile, formats, isFormat } from '../../core/output-formats.ts';
import { isComplete } from '../../domain/sql/statement.ts';
import type { Output } from '../../output/output.ts';
import { createOutput } from '../../output/write/create-output.ts';
import { completer } from './complete.ts';
import { showSchema, showTables } from './describe.ts';
import { interrupted } from './engine.ts';
import { keepStatement, readHistory } from './history.ts';
import type { Parameters } from './parameters.ts';
import { showStatement } from './run.ts';
import type { SqlSession } from './session.ts';

const prompts = { first: 'sql> ', next: '...> ' };

const help: Readonly<Record<string, string>> = {
  '.tables': 'list the tables',
  '.schema [TABLE]': 'list the columns of a table, or of all tables',
  '.mode [FORMAT]': 'the output format from now on; none: as at the start',
  '.once FILE': 'write the next result to a file, in the format of its extension',
  '.refresh': 'read the tables again when they are named next',
  '.help': 'show this help',
  '.quit': 'leave; so does Ctrl-D',
};
const commands = Object.keys(help).map((line) => line.split(' ')[0] ?? '');

/** Reads and runs statements until Ctrl-D, `.quit` or a signal. */
export async function openPrompt(ctx: Context, session: SqlSession, parameters: Parameters): Promise<void> {
  if (ctx.settings.out !== undefined) {
    throw usage('--out is for one statement, and the prompt runs many', 'write .once FILE at the prompt');
  }
  const prompt = new Prompt(ctx, session, parameters);
  try {
    await prompt.run();
  } finally {
    prompt.close();
  }
}

class Prompt {
  private readonly lines: Interface;
  /** Lines of a statement that is not complete yet. */
  private buffer = '';
  private mode: string | undefined;
  private once: string | undefined;
  /** Cancels the statement that runs. */
  private cancel: ((reason: Failure) => void) | undefined;
  private readonly history = { entries: [] as string[] };

  constructor(
    private readonly ctx: Context,
    private readonly session: SqlSession,
    private readonly parameters: Parameters,
  ) {
    const { runtime, folders } = ctx;
    const complete = completer(session.tables, commands);
    this.lines = createInterface({
      input: runtime.stdin,
      output: screenOf(ctx),
      terminal: true,
      prompt: prompts.first,
      history: readHistory(folders.state),
      historySize: 1_000,
      removeHistoryDuplicates: true,
      completer: (line: string, done: (error: null, found: [string[], string]) => void) => {
        // A name that cannot be read is completed by nothing; the statement says why.
        ctx.out
          .still(() => complete(this.buffer + line))
          .then(
            (found) => done(null, found),
            () => done(null, [[], line]),
          );
      },
    });
    this.lines.on('history', (entries) => {
      this.history.entries = entries;
    });
    this.lines.on('SIGINT', () => this.onInterrupt());
    runtime.signal.addEventListener('abort', () => this.lines.close(), { once: true });
  }

  async run(): Promise<void> {
    this.ctx.out.note('Statements end with ; — .help shows the commands, Ctrl-D leaves.');
    this.lines.prompt();
    for await (const line of this.lines) {
      if (this.buffer === '' && /^\s*\./.test(line)) {
        if (!(await this.attempt(() => this.command(line.trim())))) break;
      } else {
        this.buffer += `${line}\n`;
        if (isComplete(this.buffer)) await this.statement();
        else if (this.buffer.trim() === '') this.buffer = '';
      }
      this.lines.setPrompt(this.buffer === '' ? prompts.first : prompts.next);
      this.lines.prompt();
    }
    if (this.ctx.runtime.signal.aborted) throw interrupted();
    await this.say('\n');
  }

  close(): void {
    this.lines.close();
    this.session.end();
  }

  private async statement(): Promise<void> {
    const text = this.buffer;
    this.buffer = '';
    const line = text.trim().replace(/\s*\n\s*/g, ' ');
    this.joinHistory(text, line);
    keepStatement(this.ctx.folders.state, line);
    const cancelled = new Promise<never>((_, reject) => {
      this.cancel = (reason) => {
        this.session.end(reason);
        reject(reason);
      };
    });
    await this.attempt(async () => {
      const { once } = this;
      this.once = undefined;
      const used = new Map([...this.parameters].filter(([name]) => new RegExp(`[:@$]${name}\\b`).test(text)));
      const shown = showStatement(this.output(once), this.session, text, used);
      shown.catch(() => {});
      await Promise.race([shown, cancelled]);
      if (once !== undefined) this.ctx.out.note(`Wrote ${once}.`);
      return true;
    });
    this.cancel = undefined;
  }

  /** The lines of a statement are one entry of the history. */
  private joinHistory(text: string, line: string): void {
    const { entries } = this.history;
    const lines = text.split('\n').filter((each) => each.trim() !== '');
    if (lines.length < 2 || !lines.every((each, index) => entries[lines.length - 1 - index] === each)) return;
    entries.splice(0, lines.length, line);
  }

  /** @returns false: the prompt is left */
  private async command(line: string): Promise<boolean> {
    const [word = '', ...rest] = line.replace(/;$/, '').trim().split(/\s+/);
    const argument = rest.join(' ');
    switch (word) {
      case '.tables':
        await showTables({ out: this.output() }, this.session.tables);
        return true;
      case '.schema':
        await showSchema({ out: this.output() }, this.session.tables, argument);
        return true;
      case '.mode':
        if (argument !== '' && !isFormat(argument)) {
          throw usage(`unknown output format "${argument}"`, `the formats are ${formats.join(', ')}`);
        }
        this.mode = argument === '' ? undefined : argument;
        return true;
      case '.once':
        if (argument === '') throw usage('.once needs a file', 'write .once FILE');
        this.once = argument;
        return true;
      case '.refresh':
        this.session.end();
        return true;
      case '.help':
        await this.say(
          Object.entries(help)
            .map(([name, says]) => `${name.padEnd(17)} ${says}\n`)
            .join(''),
        );
        return true;
      case '.quit':
      case '.exit':
        return false;
      default: {
        const near = nearest(word, commands);
        throw usage(
          `unknown command "${word}"`,
          near === undefined ? 'write .help to list them' : `did you mean ${near}?`,
        );
      }
    }
  }

  /** A failure is shown, and the prompt continues. */
  private async attempt(step: () => Promise<boolean>): Promise<boolean> {
    try {
      return await step();
    } catch (error) {
      await this.say(report(asFailure(error), { json: false, terminal: true, debug: false }));
      return true;
    }
  }

  private output(once?: string): Output {
    const { settings, runtime } = this.ctx;
    const value = (once === undefined ? undefined : formatOfFile(once)) ?? this.mode ?? settings.output.value;
    const own = { ...settings, output: { ...settings.output, value }, out: once };
    return createOutput({ ...own, nameOut: nameOut(settings, runtime) }, runtime);
  }

  /** Ctrl-C cancels the statement that runs, else what was typed. */
  private onInterrupt(): void {
    if (this.cancel) {
      this.cancel(interrupted());
      return;
    }
    this.buffer = '';
    this.lines.write(null, { ctrl: true, name: 'e' });
    this.lines.write(null, { ctrl: true, name: 'u' });
    this.ctx.runtime.stderr.write('^C\n');
    this.lines.setPrompt(prompts.first);
    this.lines.prompt();
  }

  private say(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.ctx.runtime.stderr.write(text, () => resolve());
    });
  }
}

/** stderr for readline, which needs its width: it is not closed with the prompt. */
function screenOf({ runtime: { stderr, terminal } }: Context): Writable {
  const screen = new Writable({
    write(chunk, _, done) {
      stderr.write(chunk, () => done());
    },
  });
  return Object.assign(screen, { isTTY: true, columns: terminal.columns });
}
