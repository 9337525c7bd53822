/** A client whose requests say on the terminal what is waited for, once that takes longer than a moment. */
import type { Client } from '../client/client.ts';
import type { PageOptions } from '../client/paging.ts';
import { rowsAt } from '../client/paging.ts';
import type { Input, Operation, Unwrapped } from '../contract/operation.ts';
import type { Output } from '../output/output.ts';
import { groupDigits } from '../output/values.ts';

export function sayingWaits(client: Client, out: Output): Client {
  async function during<T>(text: string, work: () => Promise<T>): Promise<T> {
    const wait = out.waiting(text);
    try {
      return await work();
    } finally {
      wait.end();
    }
  }

  async function* pages<O extends Operation>(op: O, input: Input<O> | undefined, options: PageOptions) {
    const doing = doingOf(op, out.subject());
    const wait = out.waiting(`${doing}…`);
    let total: number | undefined;
    const onPage: PageOptions['onPage'] = (page) => {
      total ??= page.total;
      options.onPage?.(page);
    };
    let rows = 0;
    try {
      for await (const page of client.pages(op, input, {
        ...options,
        onPage,
      })) {
        rows += Array.isArray(page)
          ? page.length
          : rowsAt(page, options.read ? [options.read] : (op.rowsAt ?? [])).length;
        const all = total === undefined ? undefined : Math.min(total - (options.offset ?? 0), options.limit ?? total);
        wait.say(`${doing}… ${counted(rows)}${all === undefined || all < rows ? '' : ` of ${counted(all)}`}`);
        yield page as Unwrapped<O>;
      }
    } finally {
      wait.end();
    }
  }

  return {
    ...client,
    call: (op, input) => during(`${doingOf(op, out.subject())}…`, () => client.call(op, input)),
    send: (op, input, how) => during(`${doingOf(op, out.subject())}…`, () => client.send(op, input, how)),
    request: (request) =>
      during(`${request.method} ${request.path.replace(/\?.*$/s, '')}…`, () => client.request(request)),
    pages: (op, input, options = {}) => pages(op, input, options),
  };
}

/** `Reading grants`, `Writing entries`; entries by the name of their list. */
function doingOf({ method, path }: Operation, subject: string | undefined): string {
  const noun = path.split('/').findLast((part) => part !== '' && !part.startsWith('{')) ?? path;
  const what = noun === 'entries' && subject !== undefined ? subject : noun;
  return `${method === 'GET' ? 'Reading' : 'Writing'} ${what}`;
}

const counted = (count: number) => groupDigits(String(count));
