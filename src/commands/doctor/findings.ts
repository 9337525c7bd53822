/** How what a check finds becomes a line. */
import { isFailedPart } from '../../core/errors.ts';
import type { Finding } from './columns.ts';

export function ok(check: string, found: string): Finding {
  return { check, status: 'ok', found, advice: null };
}

export function note(check: string, found: string, advice: string | null = null): Finding {
  return { check, status: 'note', found, advice };
}

export function wrong(check: string, found: string, advice: string | null): Finding {
  return { check, status: 'wrong', found, advice };
}

export function skipped(check: string, found: string): Finding {
  return { check, status: 'skipped', found, advice: null };
}

/** A failure of the work is what was found; only an interruption and a bug end the command. */
export async function attempt(check: string, work: () => Finding | Promise<Finding>): Promise<Finding> {
  try {
    return await work();
  } catch (error) {
    if (!isFailedPart(error)) throw error;
    return wrong(check, error.message, error.hint ?? null);
  }
}
