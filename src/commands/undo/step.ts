/** One write of a run, and what an undo does about it. */

import type { PlannedCall } from '../../cli/context.ts';
import type { RecordedWrite } from '../../config/history.ts';

export interface UndoStep {
  n: number;
  /** `entry "Acme"`. */
  what: string;
  write: RecordedWrite;
  /** What is sent, or first of all; undefined when nothing is. */
  call?: PlannedCall;
  outcome: 'restored' | 'recreated' | 'deleted' | 'revoked' | 'unchanged' | 'skipped' | 'impossible';
  error?: string;
}

export type Step = Pick<UndoStep, 'call' | 'outcome' | 'error'>;
