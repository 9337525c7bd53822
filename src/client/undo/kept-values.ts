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
import type { Seen } from './seen.ts';

type Values = Record<string, unknown>;
type Update = Input<typeof updateEntry>;
type Answer = Reply<Unwrapped<typeof updateEntry>>;

/** Sends a change of an entry so that its other values stay. */
export function keepValues(client: Pick<Client, 'send'>, seen: Seen, warn: (text: string) => void) {
  /** Known of the server once it has left values out. */
  let replaces = false;
  let told = false;

  const tellOnce = (text: string) => {
    if (!told) warn(text);
    told = true;
  };

  async function putBack(input: Update, values: Values, lost: Values): Promise<Answer> {
    tellOnce('this server replaces all values of an entry that is changed; those that were not named are put back');
    try {
      return await client.send(updateEntry, withValues(input, values));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const left = `the server dropped other values of entry ${idOf(input)}, and they could not be put back`;
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
    const before = asValues(seen.entry(listId, idOf(input))?.values);
    const whole = before && { ...before, ...given };
    const answer = await client.send(updateEntry, replaces && whole ? withValues(input, whole) : input);
    const after = asValues(answer.data?.values);
    if (after === undefined) return answer;
    if (whole === undefined) {
      if (mayHaveLost(after, given, seen.list(listId)?.list_attributes)) {
        tellOnce(
          `the server shows no value of entry ${idOf(input)} but those that were sent; if it had others, the server replaced them (--keep-undo reads them first, and puts them back)`,
        );
      }
      return answer;
    }
    const lost = Object.entries(before ?? {}).filter(
      ([slug, value]) => !isEmpty(value) && !Object.hasOwn(given, slug) && isEmpty(own(after, slug)),
    );
    if (lost.length === 0) return answer;
    replaces = true;
    return putBack(input, whole, Object.fromEntries(lost));
  };
}

/** Whether an answer fits an entry whose other values are gone, and the list has attributes for them. */
function mayHaveLost(after: Values, given: Values, attributes: unknown): boolean {
  const others = (slug: unknown) => typeof slug === 'string' && !Object.hasOwn(given, slug);
  const slugs = Array.isArray(attributes) ? attributes.map((attribute: { slug?: unknown }) => attribute.slug) : [];
  return slugs.some(others) && !Object.keys(after).some((slug) => others(slug) && !isEmpty(after[slug]));
}

function withValues(input: Update, values: Values): Update {
  return { ...input, body: { ...Object(input.body), values } };
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
