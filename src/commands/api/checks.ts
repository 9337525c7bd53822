/** Flags of `comem api` that cannot be combined. */

import { requirePageSize } from '../../cli/operation-flags.ts';
import type { Settings } from '../../config/settings.ts';
import { usage } from '../../core/errors.ts';
import type { ApiRequest } from './request.ts';

interface Flags {
  include?: boolean;
  paginate?: boolean;
}

/** @throws usage naming two flags of which one would do nothing */
export function checkFlags(settings: Settings, { include, paginate }: Flags): void {
  const alone = include ? '--include' : settings.raw ? '--raw' : undefined;
  if (alone && paginate) throw usage(`${alone} prints one response, but --paginate reads several`);
  if (include && (settings.output.origin === 'flag' || settings.fields || settings.raw)) {
    throw usage('--include prints the response as received and cannot go with -o, --fields, --jq or --raw');
  }
  const cut = settings.limit !== undefined ? '--limit' : settings.failEmpty ? '--fail-empty' : undefined;
  if (alone && cut) throw usage(`${alone} prints the response as received and cannot go with ${cut}`);
  if (settings.pageSize !== undefined && !paginate) {
    throw usage('--page-size goes with --paginate', 'set the limit of one request with -q limit=N');
  }
}

/** The rules of `--paginate`. @throws usage */
export function checkPages({ pageSize }: Settings, { known, method, path, query, writes }: ApiRequest): void {
  if (writes) throw usage(`--paginate reads, but ${method} writes`);
  if (pageSize === undefined) return;
  if (known === undefined || known.paging === 'none') {
    const why = known ? 'has no pages' : 'is not in the API description';
    throw usage(`--page-size: ${method} ${path} ${why}`, 'set the parameter of the path with -q NAME=VALUE');
  }
  if (query.some(([name]) => name === 'limit'))
    throw usage('--page-size and -q limit say the same', 'give one of them');
  requirePageSize(known, pageSize);
}
