/** Which flags of `comem api` go together. */

import { requirePageSize } from '../../cli/paging.ts';
import type { Settings } from '../../config/setting.ts';
import { usage } from '../../core/errors.ts';
import type { ApiRequest } from './request.ts';

interface Flags {
  include?: boolean;
  paginate?: boolean;
}

/** @throws usage naming the flags of which one would do nothing */
export function checkFlags(settings: Settings, { include, paginate }: Flags): void {
  const alone = include ? '--include' : settings.raw ? '--raw' : undefined;
  if (alone && paginate) throw usage(`${alone} prints one answer, and --paginate reads several`);
  if (include && (settings.output.origin === 'flag' || settings.fields || settings.raw)) {
    throw usage('--include prints the answer as it came: no -o, --fields, --jq or --raw goes with it');
  }
  const cut = settings.limit !== undefined ? '--limit' : settings.failEmpty ? '--fail-empty' : undefined;
  if (alone && cut) throw usage(`${alone} prints the answer as it came: ${cut} does not go with it`);
  if (settings.pageSize !== undefined && !paginate) {
    throw usage('--page-size goes with --paginate', 'give the one request its limit with -q limit=N');
  }
}

/** What `--paginate` asks of a request. @throws usage */
export function checkPages({ pageSize }: Settings, { known, method, path, query, writes }: ApiRequest): void {
  if (writes) throw usage(`--paginate reads, and ${method} writes`);
  if (pageSize === undefined) return;
  if (known === undefined || known.paging === 'none') {
    const why = known ? 'has no pages' : 'is not in the API description';
    throw usage(`--page-size: ${method} ${path} ${why}`, 'send the parameter that the path takes with -q NAME=VALUE');
  }
  if (query.some(([name]) => name === 'limit'))
    throw usage('--page-size and -q limit say the same', 'give one of them');
  requirePageSize(known, pageSize);
}
