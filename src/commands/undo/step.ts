/** One write of a run, and what an undo does about it. */

import type { PlannedCall } from '../../cli/context.ts';
import type { RecordedWrite } from '../../config/history.ts';
import type { Thing } from '../../domain/undo/undo.ts';

export interface UndoStep {
  n: number;
  /** `entry "Acme"`. */
  what: string;
  write: RecordedWrite;
  /** What is sent, or first of all; undefined when nothing is. */
  call?: PlannedCall;
  /** It was sent before, and what came of it is not known. */
  sentBefore?: boolean;
  /** What an earlier undo created, and with which request. */
  created?: { thing: Thing; by: PlannedCall };
  /** Ids, in lower case, of what was there before, and of what this undo has created since. */
  known?: Set<string>;
  outcome: 'restored' | 'recreated' | 'deleted' | 'revoked' | 'unchanged' | 'skipped' | 'impossible';
  error?: string;
}

export type Step = Pick<UndoStep, 'call' | 'sentBefore' | 'created' | 'outcome' | 'error'>;
