/** What is said on stderr while a command runs: notes, warnings, and one progress line that is replaced in place. */
import { cleanLine, cleanLines } from './terminal-text.ts';

export interface Messages {
  note(text: string): void;
  warn(text: string): void;
  progress(text: string | undefined): void;
}

export interface MessageRules {
  quiet: boolean;
  isTTY: boolean;
  columns: number;
}

/** @param runtime its `stderr` is asked for when there is something to say: a stream costs a start a hundredth */
export function createMessages(runtime: { readonly stderr: NodeJS.WritableStream }, rules: MessageRules): Messages {
  let shown = false;
  const clear = () => {
    if (shown) runtime.stderr.write('\r\u001b[K');
    shown = false;
  };
  const say = (text: string) => {
    if (rules.quiet) return;
    clear();
    runtime.stderr.write(`${cleanLines(text)}\n`);
  };
  return {
    note: say,
    warn: (text) => say(`comem: warning: ${text}`),
    progress(text) {
      if (rules.quiet || !rules.isTTY) return;
      clear();
      if (text === undefined) return;
      shown = true;
      const line = cleanLine(text);
      // A line that wraps could not be taken back.
      runtime.stderr.write(line.length < rules.columns ? line : `${line.slice(0, Math.max(rules.columns - 2, 0))}…`);
    },
  };
}
