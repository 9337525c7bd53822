/** `--limit`, `--page-size` and `--raw` are refused where they would change nothing. */
import type { GlobalFlags } from '../config/global-flags.ts';
import type { Operation } from '../contract/operation.ts';
import { usage } from '../core/errors.ts';
import type { AnyCommand } from './define.ts';
import { requirePageSize } from './operation-flags.ts';

/** @throws usage naming the flag, and what to do instead */
export async function checkPagingFlags(command: AnyCommand, flags: GlobalFlags): Promise<void> {
  if (command.callsAny) return;
  const paged = await pagedOperations(command);
  if (flags.pageSize !== undefined) checkPageSize(command, flags.pageSize, paged);
  if (flags.limit !== undefined) checkLimit(command, flags, paged);
  if (flags.raw && flags.failEmpty)
    throw usage('--raw prints the body as it was received and cannot go with --fail-empty');
}

function checkPageSize(command: AnyCommand, size: number, paged: readonly Operation[]): void {
  if (paged.length === 0) {
    throw usage(
      `--page-size is for commands that read page by page, and \`comem ${command.path}\` does not`,
      'omit it; --limit N stops after N rows',
    );
  }
  for (const op of paged) requirePageSize(op, size);
}

function checkLimit(command: AnyCommand, flags: GlobalFlags, paged: readonly Operation[]): void {
  if (flags.raw && paged.length === 0) {
    throw usage('--raw prints the one body as it was received, so --limit cannot cut it', 'omit one of them');
  }
  if (command.writes && command.stdout === 'rows') {
    throw usage(
      '--limit would cut what is printed and not what is written',
      `select the rows first: a list command with --limit N -o id, piped into \`comem ${command.path} … -\``,
    );
  }
}

async function pagedOperations(command: AnyCommand): Promise<Operation[]> {
  const { operations } = await import('../contract/index.ts');
  return command.operations.map((id): Operation => operations[id]).filter(({ paging }) => paging !== 'none');
}
