/**
 * Finds the company of a command by asking the API: a word may be the name of a company, and an API key may be bound to
 * one.
 */

import { isUnknownCompany } from '../config/companies.ts';
import { resolveCredentials } from '../config/credentials.ts';
import { operations } from '../contract/index.ts';
import { getMetricCatalog } from '../contract/metric-operations.ts';
import type { Operation } from '../contract/operation.ts';
import { demo } from '../core/demo.ts';
import { Failure, isSkippable } from '../core/errors.ts';
import type { Context } from './context.ts';
import type { AnyCommand } from './define.ts';
import type { OpenedMirror } from './past.ts';
import { type CommandContext, type ContextParts, createContext } from './run-context.ts';
import { runtimeWith } from './runtime.ts';

/**
 * The context with its company. A command that reports failures runs without, and each of its requests fails.
 * @throws what the settings throw
 */
export async function contextWithCompany(ctx: CommandContext, parts: ContextParts): Promise<CommandContext> {
  try {
    await settle(ctx, parts);
    return ctx;
  } catch (error) {
    if (!parts.command.reportsFailures || !isSkippable(error)) throw error;
    await ctx.close();
    const failing = createContext({ ...withoutCompany(parts), failure: error });
    // Other settings that are wrong are reported as they are.
    failing.settings;
    return failing;
  }
}

export async function settle(ctx: CommandContext, parts: ContextParts): Promise<void> {
  const past = await ctx.openPast();
  if (past) return settlePast(ctx, past);
  await settleNames(ctx, parts);
  if (ctx.settings.companies.value.length === 0) await settleCompany(ctx, parts.command);
}

/** The mirror's only company, unless one is named. */
function settlePast({ settings }: Context, { companies }: OpenedMirror): void {
  const [only, ...others] = companies;
  if (settings.companies.origin !== 'default' || only === undefined || others.length > 0) return;
  settings.companies = { value: [only], origin: 'default', from: 'the mirror' };
}

/** Reads the settings. If a word names no known company, the API is asked for the names of companies. */
async function settleNames(ctx: Context, parts: ContextParts): Promise<void> {
  try {
    ctx.settings;
  } catch (error) {
    if (!isUnknownCompany(error) || !(await learnWithoutCompany(parts))) throw error;
  }
}

/** Asks for the names of companies in a context without a company. @returns whether a name is new */
async function learnWithoutCompany(parts: ContextParts): Promise<boolean> {
  const context = createContext({ ...withoutCompany(parts), onSettings: () => {} });
  try {
    return await learnCompanyNames(context);
  } finally {
    // The caller closes a connection that it passed in.
    if (parts.connection === undefined) await context.close();
  }
}

function withoutCompany(parts: ContextParts): ContextParts {
  const { COMEM_COMPANY_ID: _, ...env } = parts.runtime.env;
  const { company: __, ...globals } = parts.parsed.globals;
  return { ...parts, runtime: runtimeWith(parts.runtime, { env }), parsed: { ...parts.parsed, globals } };
}

/** Asks the API for the names of companies. @returns whether a name is new */
export async function learnCompanyNames(ctx: Context): Promise<boolean> {
  try {
    const { learnNames } = await import('./each-company.ts');
    return await learnNames(ctx);
  } catch (error) {
    if (isSkippable(error)) return false;
    throw error;
  }
}

/** Commands that show the company of the settings must not change it. */
const showing: ReadonlySet<string> = new Set(['auth login', 'auth status', 'doctor']);

/** Sets the company of the settings where none is set and the command may need one. */
async function settleCompany(ctx: Context, command: AnyCommand): Promise<void> {
  const { settings, runtime, folders, profiles } = ctx;
  if (showing.has(command.path) || settings.baseUrl.value === undefined) return;
  const needs = command.operations.some((id: keyof typeof operations) => operations[id].company.required);
  const { key } = resolveCredentials(settings, { env: runtime.env, paths: folders, profiles, signal: runtime.signal });
  // A profile has the company of its key since its login.
  if (key === undefined || key.source === 'profile') return;
  if (key.source === 'environment') {
    const id = needs ? await boundTo(ctx, command) : undefined;
    if (id !== undefined) settings.companies = { value: [id], origin: 'default', from: 'the API key' };
  } else if (command.operations.length > 0) {
    const id = (await boundTo(ctx, command)) ?? (await demoCompanyOf(ctx));
    settings.companies = { value: [id], origin: 'default', from: 'the database' };
  }
}

/** The demo's company in a database of several. @throws Failure that names the companies of any other database */
async function demoCompanyOf(ctx: Context): Promise<string> {
  const query = { companyId: demo.companyId };
  return (await (await ctx.client()).call(getMetricCatalog, { query })).companyId;
}

/** Undefined if the key may not read the catalog; the command then asks for a company. */
async function boundTo(ctx: Context, command: AnyCommand): Promise<string | undefined> {
  try {
    return (await (await ctx.client()).call(getMetricCatalog, {})).companyId;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.status !== undefined && error.status !== 401) return undefined;
    const [first] = command.operations;
    // The request that failed is not the one that the user meant.
    if (error.kind !== 'tryLater' || first === undefined || first === getMetricCatalog.id) throw error;
    const { method, path }: Operation = operations[first as keyof typeof operations];
    const { hint, details, request, code, retryable } = error;
    const more = { hint, details, request, code, retryable, cause: error };
    throw new Failure(error.kind, `cannot send ${method} ${path}: ${error.message}`, more);
  }
}
