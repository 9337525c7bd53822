/** A second profile within one command: its own address, credentials, company and guard rails. */

import type { Context } from '../../../cli/context.ts';
import { prepareWrites } from '../../../cli/guard.ts';
import type { Client } from '../../../client/client.ts';
import { resolveCredentials } from '../../../config/credentials.ts';
import { requireBaseUrl, resolveSettings } from '../../../config/settings.ts';
import { usage } from '../../../core/errors.ts';

interface OtherProfile {
  ctx: Context;
  close(): Promise<void>;
}

/**
 * The context as `-p name` would create it, with the output and prompts of this one. As with -p, the environment does
 * not change it.
 * @param company uuid or alias; default: the profile's own
 * @throws usage for an unknown profile
 */
function otherProfile(ctx: Context, name: string, company?: string): OtherProfile {
  const { runtime, profiles, folders } = ctx;
  const flags = { profile: name, ...(company === undefined ? {} : { company: [company] }) };
  const own = resolveSettings(flags, runtime.env, profiles, runtime.terminal);
  const { output, fields, jq, out, header, truncate, limit, pageSize, failEmpty, raw, excel } = ctx.settings;
  const { dryRun, yes, input, verbose, quiet, confirm, keepUndo } = ctx.settings;
  const shown = { output, fields, jq, out, header, truncate, limit, pageSize, failEmpty, raw, excel };
  const settings = { ...own, ...shown, dryRun, yes, input, verbose, quiet, confirm, keepUndo };
  const baseUrl = requireBaseUrl(settings, profiles);
  const [id] = settings.companies.value;
  let client: Promise<Client> | undefined;
  const credentials = () =>
    resolveCredentials(settings, { env: runtime.env, paths: folders, profiles, signal: runtime.signal });
  const changes: Partial<Context> = {
    settings,
    client() {
      client ??= ctx.clientFor({
        baseUrl,
        credentials: credentials(),
        company: id,
        allowHttp: settings.allowHttp,
        profile: name,
        journal: settings,
      });
      return client;
    },
    company: () => id,
    requireCompany() {
      if (id !== undefined) return id;
      throw usage(
        `profile "${name}" has no company`,
        `give it one with \`comem profiles set ${name} company=COMPANY\``,
      );
    },
    prepare: (calls, question) => prepareWrites(other, profiles, calls, question),
    async write(op, call, question) {
      await other.prepare([{ op, input: call }], question);
      return (await other.client()).call(op, call);
    },
  };
  // Not a copy: the context creates some parts on first use.
  const other: Context = Object.create(ctx, Object.getOwnPropertyDescriptors(changes)) as Context;
  return {
    ctx: other,
    async close() {
      await client?.then(
        (made) => made.close(),
        () => {},
      );
    },
  };
}

/** Runs with a second profile, and closes it. */
export async function withProfile<T>(
  ctx: Context,
  { profile, company }: { profile: string; company?: string | undefined },
  use: (other: Context) => Promise<T>,
): Promise<T> {
  const { ctx: other, close } = otherProfile(ctx, profile, company);
  try {
    return await use(other);
  } finally {
    await close();
  }
}
