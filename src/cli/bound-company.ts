/** With an API key and no company: the company that the key is bound to, as `comem auth login` finds it. */

import { resolveCredentials } from '../config/credentials.ts';
import { operations } from '../contract/index.ts';
import { getMetricCatalog } from '../contract/metric-operations.ts';
import { Failure } from '../core/errors.ts';
import type { Context } from './context.ts';
import type { AnyCommand } from './define.ts';

/** Commands that show which company is set, and so do not set one. */
const showing: ReadonlySet<string> = new Set(['auth login', 'auth status', 'doctor']);

/** Sets the company of the settings where none is set and the command may need one. */
export async function settleCompany(ctx: Context, command: AnyCommand): Promise<void> {
  const { settings, runtime, folders, profiles } = ctx;
  if (showing.has(command.path) || settings.baseUrl.value === undefined) return;
  if (!command.operations.some((id: keyof typeof operations) => operations[id].company.required)) return;
  const { key } = resolveCredentials(settings, { env: runtime.env, paths: folders, profiles, signal: runtime.signal });
  // A profile has the company of its key since its login.
  if (key?.source !== 'environment') return;
  const id = await boundTo(ctx);
  if (id !== undefined) settings.companies = { value: [id], origin: 'default', from: 'the API key' };
}

/** Undefined where the key may not read the catalog: the command then says that it needs a company. */
async function boundTo(ctx: Context): Promise<string | undefined> {
  try {
    return (await (await ctx.client()).call(getMetricCatalog, {})).companyId;
  } catch (error) {
    if (error instanceof Failure && error.status !== undefined && error.status !== 401) return undefined;
    throw error;
  }
}
