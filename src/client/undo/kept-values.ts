/**
 * The API leaves open what a PATCH does to values that it does not name (docs/api.md, "What the API leaves open" 3).
 * They must stay: the response is compared with what was read before, and what a server dropped is written again.
 */

import { updateEntry } from '../../contract/entry-operations.ts';
import type { Input, Unwrapped } from '../../contract/operation.ts';
import { Failure } from '../../core/errors.ts';
import { stringifyJson } from '../../core/json.ts';
import type { Client } from '../client.ts';
import type { Reply } from '../reply.ts';
import type { Fetched } from './fetched.ts';

type Values = Record<string, unknown>;
type Update = Input<typeof updateEntry>;
type Answer = Reply<Unwrapped<typeof updateEntry>>;

/** Sends a change of an entry so that its other values stay. */
export function keepValues(client: Pick<Client, 'send'>, fetched: Fetched, warn: (text: string) => void) {
  /** Set once the server has dropped values. */
  let replaces = false;
  let warned = false;

  const warnOnce = (text: string) => {
    if (!warned) warn(text);
    warned = true;
  };

  async function restore(input: Update, values: Values, lost: Values): Promise<Answer> {
    warnOnce('this server replaces all values of a changed entry; the other values are restored');
    try {
      return await client.send(updateEntry, withValues(input, values));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const left = `the server dropped other values of entry ${idOf(input)}, and they could not be restored`;
      throw new Failure(error.kind, `${left}: ${error.message}`, {
        hint: `they were ${stringifyJson(lost)}`,
        status: error.status,
        request: error.request,
        retryable: false,
      });
    }
  }

  return async (input: Update): Promise<Answer> => {
    const listId = String(input.params?.listId);
    const given = asValues((input.body as { values?: unknown } | undefined)?.values);
    if (given === undefined) return client.send(updateEntry, input);
    const before = asValues(fetched.entry(listId, idOf(input))?.values);
    const all = before && { ...before, ...given };
    const answer = await client.send(updateEntry, replaces && all ? withValues(input, all) : input);
    const after = asValues(answer.data?.values);
    if (after === undefined) return answer;
    if (all === undefined) {
      if (mayHaveLost(after, given, fetched.list(listId)?.list_attributes)) {
        warnOnce(
          `the server shows only the values of entry ${idOf(input)} that were sent; if it had others, the server replaced them (--keep-undo reads them first and restores them)`,
        );
      }
      return answer;
    }
    const lost = Object.entries(before ?? {}).filter(
      ([slug, value]) => !isEmpty(value) && !Object.hasOwn(given, slug) && isEmpty(own(after, slug)),
    );
    if (lost.length === 0) return answer;
    replaces = true;
    return restore(input, all, Object.fromEntries(lost));
  };
}

/** Whether the answer shows none of the other values, though the list has attributes for them. */
function mayHaveLost(after: Values, given: Values, attributes: unknown): boolean {
  const others = (slug: unknown) => typeof slug === 'string' && !Object.hasOwn(given, slug);
  const slugs = Array.isArray(attributes) ? attributes.map((attribute: { slug?: unknown }) => attribute.slug) : [];
  return slugs.some(others) && !Object.keys(after).some((slug) => others(slug) && !isEmpty(after[slug]));
}

function withValues(input: Update, values: Values): Update {
  return { ...input, body: { id: idOf(input), ...input.body, values } };
}

function idOf({ body }: Update): string {
  return String((body as { id?: unknown } | undefined)?.id);
}

function asValues(value: unknown): Values | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : undefined;
}

function own(values: Values, slug: string): unknown {
  return Object.hasOwn(values, slug) ? values[slug] : undefined;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
