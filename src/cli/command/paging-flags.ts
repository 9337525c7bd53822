/** What `--limit` and `--page-size` mean to a command. A flag that would change nothing is refused, not swallowed. */
import { operations } from '../../contract/index.ts';
import type { Operation } from '../../contract/operation.ts';
import { usage } from '../../core/errors.ts';
import type { AnyCommand } from './define.ts';
import type { GlobalFlags } from './global-flags.ts';
import { requirePageSize } from './page-options.ts';

/** @throws usage naming the flag, and what to do instead */
export function checkPagingFlags(command: AnyCommand, flags: GlobalFlags): void {
  // What `comem api` sends is known only when its words are read.
  if (command.path === 'api') return;
  const paged = pagedOperations(command);
  if (flags.pageSize !== undefined) checkPageSize(command, flags.pageSize, paged);
  if (flags.limit !== undefined) checkLimit(command, flags, paged);
  if (flags.raw && flags.failEmpty)
    throw usage('--raw prints the body as it was received and cannot go with --fail-empty');
}

function checkPageSize(command: AnyCommand, size: number, paged: readonly Operation[]): void {
  if (paged.length === 0) {
    throw usage(
      `--page-size is for commands that read page by page (entries, series, published), and \`comem ${command.path}\` does not`,
      'leave it out; --limit N stops after N rows',
    );
  }
  for (const op of paged) requirePageSize(op, size);
}

function checkLimit(command: AnyCommand, flags: GlobalFlags, paged: readonly Operation[]): void {
  if (flags.raw && paged.length === 0) {
    throw usage(
      '--raw prints the one body as it was received, and --limit would have to cut it',
      'leave one of them out',
    );
  }
  if (command.writes && command.stdout === 'rows') {
    throw usage(
      '--limit would cut what is printed and not what is written',
      `name what is meant: a list command with --limit N -o id, piped into \`comem ${command.path} … -\``,
    );
  }
}

function pagedOperations(command: AnyCommand): Operation[] {
  return command.operations.map((id): Operation => operations[id]).filter(({ paging }) => paging !== 'none');
}
