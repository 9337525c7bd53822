/** A run again on every change of a file, until the person stops it. */
import { watch } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { report } from '../../cli/report.ts';
import { isForgivable } from '../../core/errors.ts';

/** Editors write a file in several steps; this long after the last of them it is whole. */
const settledMs = 100;

export async function watching(ctx: Context, file: string, run: () => Promise<void>): Promise<void> {
  const { cwd, signal, stderr } = ctx.runtime;
  const path = resolve(cwd, file);
  const once = async (): Promise<void> => {
    try {
      await run();
    } catch (error) {
      if (!isForgivable(error)) throw error;
      stderr.write(report(error, { json: false, terminal: ctx.runtime.terminal.stderrIsTTY, debug: false }));
    }
    ctx.out.note(`Watching ${file}; ^C ends.`);
  };
  await once();
  // The folder is watched, because many editors replace the file.
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  try {
    for await (const { filename } of watch(dirname(path), { signal })) {
      if (filename !== basename(path)) continue;
      clearTimeout(timer);
      timer = setTimeout(() => {
        running = running.then(once);
      }, settledMs);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
    await running;
  }
}
