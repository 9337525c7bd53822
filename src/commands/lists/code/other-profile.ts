/** A second profile within one command: its own address, credentials, company and guard rails. */

import type { Context } from '../../../cli/context.ts';
import type { Client } from '../../../client/client.ts';
import { cachedNames } from '../../../config/companies.ts';
import { resolveCredentials } from '../../../config/credentials.ts';
import { requireBaseUrl, resolveSettings } from '../../../config/settings.ts';
import { getMetricCatalog } from '../../../contract/metric-operations.ts';

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
async function otherProfile(ctx: Context, name: string, company?: string): Promise<OtherProfile> {
  const { runtime, profiles, folders } = ctx;
  const flags = { profile: name, ...(company === undefined ? {} : { company: [company] }) };
  const resolved = resolveSettings(flags, runtime.env, profiles, runtime.terminal, (url) => cachedNames(folders, url));
  const { output, fields, jq, out, header, truncate, limit, pageSize, failEmpty, raw, excel } = ctx.settings;
  const { dryRun, yes, input, verbose, quiet, confirm, keepUndo } = ctx.settings;
  const outputSettings = { output, fields, jq, out, header, truncate, limit, pageSize, failEmpty, raw, excel };
  const settings = { ...resolved, ...outputSettings, dryRun, yes, input, verbose, quiet, confirm, keepUndo };
  const baseUrl = requireBaseUrl(settings, profiles);
  const credentials = () =>
    resolveCredentials(settings, { env: runtime.env, paths: folders, profiles, signal: runtime.signal });
  const account = (companyId: string | undefined) => ({
    baseUrl,
    credentials: credentials(),
    company: companyId,
    allowHttp: settings.allowHttp,
    profile: name,
    journal: settings,
  });
  const [named] = settings.companies.value;
  // An embedded database says itself which company is its own.
  const id = named ?? (baseUrl.startsWith('embedded:') ? await companyOf(ctx, account(undefined)) : undefined);
  if (id !== undefined) settings.companies = { ...settings.companies, value: [id] };
  let client: Promise<Client> | undefined;
  const other = ctx.apart({
    settings: () => settings,
    client() {
      client ??= ctx.clientFor(account(id));
      return client;
    },
  });
  return {
    ctx: other,
    async close() {
      await client?.then(
        (opened) => opened.close(),
        () => {},
      );
    },
  };
}

async function companyOf(ctx: Context, account: Parameters<Context['clientFor']>[0]): Promise<string> {
  const client = await ctx.clientFor(account);
  try {
    return (await client.call(getMetricCatalog, {})).companyId;
  } finally {
    await client.close();
  }
}

/** Runs with a second profile, and closes it. */
export async function withProfile<T>(
  ctx: Context,
  { profile, company }: { profile: string; company?: string | undefined },
  use: (other: Context) => Promise<T>,
): Promise<T> {
  const { ctx: other, close } = await otherProfile(ctx, profile, company);
  try {
    return await use(other);
  } finally {
    await close();
  }
}
