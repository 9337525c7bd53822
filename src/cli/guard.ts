/** The steps before a write: dry run, guard rails of the profile, confirmation. */
import type { DescribedRequest } from '../client/client.ts';
import { firstAlias } from '../config/companies.ts';
import { findProfile } from '../config/profile.ts';
import { requireBaseUrl } from '../config/settings.ts';
import { withTurns } from '../core/concurrency.ts';
import { Failure, Finished, noRows, usage } from '../core/errors.ts';
import { stringifyJson } from '../core/json.ts';
import type { Column } from '../output/column.ts';
import type { Context, PlannedCall } from './context.ts';

const requestColumns: Column<DescribedRequest>[] = [
  { key: 'method', get: ({ method }) => method },
  { key: 'url', get: ({ url }) => url },
  { key: 'body', type: 'json', get: ({ body }) => body as object | undefined },
];

/** Requests that a dry run shows on a terminal. */
const maxShown = 10;

/** `Context.prepare`. @throws Finished after the requests of a dry run were printed */
export async function prepareWrites(ctx: Context, calls: Iterable<PlannedCall>, question?: string): Promise<void> {
  const { settings } = ctx;
  if (settings.dryRun) {
    const client = await ctx.client();
    const requests: DescribedRequest[] = [];
    for await (const { op, input } of withTurns(calls, ctx.runtime.signal))
      requests.push(await client.describe(op, input));
    const { jq, out, output } = settings;
    const isOnScreen = ctx.runtime.terminal.stdoutIsTTY && output.origin === 'default';
    const isRows = output.origin === 'flag' && output.value !== 'json';
    if (output.value === 'id' && isRows) throw usage('-o id: the requests of a dry run have no ids', 'use -o ndjson');
    if (jq !== undefined) await ctx.out.scalar('', requests);
    else if (isRows) await ctx.out.rows(requests, requestColumns);
    else if (isOnScreen && out === undefined) noteDryRun(ctx, requests, question);
    else await ctx.out.text(`${stringifyJson(requests, 2)}\n`);
    if (requests.length === 0 && settings.failEmpty) throw noRows();
    throw new Finished();
  }
  refuseReadonly(ctx);
  if (!isEmpty(calls)) await prepareWrite(ctx, question);
}

/** Notes the question of a dry run, or its requests where nothing would be asked; the plan precedes it. */
function noteDryRun(ctx: Context, requests: readonly DescribedRequest[], question: string | undefined): void {
  const lines = requests.slice(0, maxShown).map(({ method, url, body }) => {
    const { pathname, search } = new URL(url);
    return `  ${method} ${pathname}${search}${body === undefined ? '' : ` ${stringifyJson(body)}`}`;
  });
  const more = requests.length > lines.length ? [`  … and ${requests.length - lines.length} more`] : [];
  const would = question && `Would ${question.charAt(0).toLowerCase()}${question.slice(1, -1)}.`;
  for (const line of would === undefined ? [...lines, ...more] : [would]) ctx.out.note(line);
  ctx.out.note(`Nothing was written to ${targetOf(ctx).text}.`);
  ctx.out.note(
    requests.length === 1 ? '-o json prints the request.' : `-o json prints the ${requests.length} requests.`,
  );
}

/** The address, profile and company that are written to. @throws usage where there is no address */
function targetOf(ctx: Context) {
  const company = ctx.company();
  const profile = ctx.settings.profile.value;
  const alias = firstAlias(findProfile(ctx.profiles, profile)?.companies ?? {}, company);
  const name = company === undefined ? '' : `, company ${alias === undefined ? company : `${alias} (${company})`}`;
  return {
    company,
    profile,
    alias,
    text: `${requireBaseUrl(ctx.settings, ctx.profiles)} with profile "${profile}"${name}`,
  };
}

/** Guard rails and confirmation of something that is about to be written. */
export async function prepareWrite(ctx: Context, question?: string): Promise<void> {
  const { settings } = ctx;
  refuseReadonly(ctx);
  if (question !== undefined && !settings.yes) requireTerminal(ctx);
  const { company, profile, alias, text: target } = targetOf(ctx);
  const { officialName } = await import('./each-company.ts');
  const called = company === undefined || !settings.protected ? undefined : await officialName(ctx, company);
  const names = [alias, called, company ?? profile].filter((word) => word !== undefined);
  // A question is preceded by the address; a write without a question is announced.
  const asks = settings.protected ? settings.confirm === undefined : question !== undefined && !settings.yes;
  const isAnnounced = asks && settings.input;
  if (isAnnounced) ctx.out.note(`This would write to ${target}.`);
  if (settings.protected) await nameTheCompany(ctx, names);
  if (question !== undefined) await confirmOrRefuse(ctx, question);
  if (!isAnnounced) ctx.out.note(`Writing to ${target}.`);
}

/** @throws usage for a profile that may not write */
export function refuseReadonly({ settings }: Context): void {
  if (!settings.readonly) return;
  const name = settings.profile.value;
  throw usage(
    `profile "${name}" is read-only, and this command writes`,
    `preview with --dry-run, or run \`comem profiles set ${name} readonly=false\` to allow writes`,
  );
}

function isEmpty(calls: Iterable<unknown>): boolean {
  for (const _ of calls) return false;
  return true;
}

/** To write to a protected profile one must name the company; `--yes` is not enough. */
async function nameTheCompany(ctx: Context, names: readonly string[]): Promise<void> {
  const { settings, runtime } = ctx;
  const subject = ctx.company() === undefined ? 'profile' : 'company';
  const rule = `profile "${settings.profile.value}" is protected: a write needs the name of the ${subject}`;
  if (settings.confirm === undefined && !settings.input) throw usage(rule, `give it with --confirm ${names[0]}`);
  const { askText } = await import('./prompts.ts');
  const typedName =
    settings.confirm ?? (await askText(runtime, { message: `Name the ${subject} (${names[0]}) to write to it:` }));
  if (names.some((name) => name.toLowerCase() === typedName.trim().toLowerCase())) return;
  throw usage(
    `"${typedName}" is not the ${subject} that this would write to; nothing was written`,
    `it is ${names.join(' or ')}`,
  );
}

/** `Context.confirm`. */
export async function confirmOrRefuse(ctx: Context, question: string): Promise<void> {
  if (ctx.settings.yes) return;
  requireTerminal(ctx);
  const { confirm } = await import('./prompts.ts');
  if (await confirm(ctx.runtime, question)) return;
  throw new Failure('no', 'not confirmed; nothing was written');
}

/** @throws usage where nobody can confirm, before anything is shown */
function requireTerminal({ settings }: Context): void {
  if (settings.input) return;
  throw usage('this needs a confirmation, but stdin is not a terminal; nothing was written', 'add --yes');
}
