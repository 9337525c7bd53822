/** The client of a command: its address, its credentials, and the flags that its messages name. */
import { join } from 'node:path';
import { version } from '../../package.json';
import { type Client, createClient } from '../client/client.ts';
import { connect } from '../client/connect.ts';
import { sessionExpiry } from '../client/credentials.ts';
import type { Connection } from '../client/network.ts';
import type { PageOptions } from '../client/paging.ts';
import { rowsAt } from '../client/paging.ts';
import { type ResolvedCredentials, resolveCredentials } from '../config/credentials.ts';
import type { ProfilesFile } from '../config/profile.ts';
import { fromFolder, requireBaseUrl, type Settings } from '../config/settings.ts';
import type { Paths } from '../config/store.ts';
import type { Input, Operation, Unwrapped } from '../contract/operation.ts';
import type { Headers, Transport } from '../core/wire.ts';
import { messageLine } from '../output/terminal-text.ts';
import { groupDigits } from '../output/values.ts';
import type { Output } from '../output/write/create-output.ts';
import type { Account, Runtime } from './context.ts';
import type { AnyCommand } from './define.ts';
import { flagOfField } from './define.ts';
import type { OpenedMirror } from './past.ts';

/** Buffers of longer answers stay in memory until garbage is collected. */
const longAnswer = 1024 * 1024;
/** Percent of heap growth between collections. A lower value takes a fifth more time, a higher one too much memory. */
const longAnswerGrowth = 200;

export interface ClientParts {
  command: AnyCommand;
  settings: Settings;
  profiles: ProfilesFile;
  folders: Paths;
  runtime: Runtime;
  out: Output;
  connection?: Connection | undefined;
  /** Called with the headers of each response. */
  onHeaders?: ((headers: Headers) => void) | undefined;
  /** The connection that clients of several companies share. */
  share?: { connected?: ReturnType<typeof connect> } | undefined;
  /** The mirror that answers instead of the API. */
  past?: Pick<OpenedMirror, 'connection' | 'credentials'> | undefined;
  /** The name of a company, if it is known. */
  companyName?: ((id: string) => string | undefined) | undefined;
}

/** The client of the settings. @throws usage when there is no such profile, or no base URL is set anywhere */
export function makeClient(parts: ClientParts): Client {
  const { settings, profiles, folders, runtime, past } = parts;
  const account = {
    /** The company of the settings, unless there are several. It may become known while the command runs. */
    get company() {
      const [only, ...others] = settings.companies.value;
      return others.length === 0 ? only : undefined;
    },
    allowHttp: settings.allowHttp,
  };
  if (past) {
    // Neither address nor credentials are needed, and names of another time are not kept.
    const { connection, credentials } = past;
    const pastParts = { ...parts, connection, onHeaders: undefined, share: undefined };
    return openClient(pastParts, Object.assign(account, { baseUrl: 'embedded:', credentials }));
  }
  const baseUrl = requireBaseUrl(settings, profiles);
  const { env, signal } = runtime;
  const credentials = resolveCredentials(settings, { env, paths: folders, profiles, signal });
  const client = openClient(
    parts,
    Object.assign(account, { baseUrl, credentials: withExpiryWarning(credentials, parts) }),
  );
  return withNameCache(client, parts);
}

/** The connection of the settings: its clock and companies are those of an embedded database. */
export function settingsConnection(parts: ClientParts) {
  const { settings, profiles } = parts;
  return connectAccount(parts, { baseUrl: requireBaseUrl(settings, profiles), allowHttp: settings.allowHttp });
}

/** The reads whose names completion offers. */
const named: readonly string[] = ['listLists', 'getList', 'getMetricCatalog', 'listGrants'];

/** A client whose reads fill the cache of names for completion. */
function withNameCache(client: Client, { settings, folders }: ClientParts): Client {
  const keep = async (op: Operation, input: { query?: object | undefined } | undefined, data: unknown) => {
    if (!named.includes(op.id)) return;
    const { keepNames } = await import('./completion/names.ts');
    const account = { baseUrl: settings.baseUrl.value, company: settings.companies.value[0] };
    keepNames(folders, account, { id: op.id, query: input?.query }, data);
  };
  return {
    ...client,
    async call(op, input) {
      const data = await client.call(op, input);
      await keep(op, input, data);
      return data;
    },
    async send(op, input, options) {
      const reply = await client.send(op, input, options);
      if (!options?.asReceived) await keep(op, input, reply.data);
      return reply;
    },
  };
}

/** A client for an account that need not be the settings' own (`auth login` tries one before it is saved). */
export function openClient(parts: ClientParts, account: Account): Client {
  const { command, settings, runtime, out, onHeaders } = parts;
  const { transport, ...opened } = connectAccount(parts, account);
  return createClient({
    ...opened,
    transport: observedTransport(transport, runtime, onHeaders),
    credentials: account.credentials,
    get company() {
      return account.company;
    },
    pageSize: settings.pageSize,
    headers: { 'user-agent': `comem/${version}` },
    profile: account.profile ?? settings.profile.value,
    signal: runtime.signal,
    companyName: parts.companyName,
    fieldName: ({ name }) => flagOfField(name, command.flags),
    note: (text) => out.note(text),
  });
}

/** The connection to an account's API, which the clients of one command share. */
function connectAccount(parts: ClientParts, account: Pick<Account, 'baseUrl' | 'retries' | 'allowHttp'>) {
  const { settings, folders, runtime, out, connection } = parts;
  const { env, now, random } = runtime;
  const open = () =>
    connect({
      baseUrl: fromFolder(account.baseUrl, runtime.cwd),
      timeoutMs: settings.timeoutMs.value,
      maxResponse: settings.maxResponse.value,
      retries: account.retries ?? settings.retries.value,
      env,
      allowHttp: account.allowHttp,
      note: (text) => out.note(text),
      log: settings.verbose ? (line) => runtime.stderr.write(`${messageLine(line)}\n`) : undefined,
      now,
      random,
      dataDir: join(folders.data, 'demo'),
      connection,
    });
  const shared = parts.share?.connected ?? open();
  if (parts.share) parts.share.connected = shared;
  return shared;
}

function observedTransport(
  send: Transport,
  { keepHeapSmall }: Pick<Runtime, 'keepHeapSmall'>,
  onHeaders?: (headers: Headers) => void,
): Transport {
  return async (request) => {
    const response = await send(request);
    if (response.body.length > longAnswer) keepHeapSmall?.({ growth: longAnswerGrowth });
    onHeaders?.(response.headers);
    return response;
  };
}

/** Credentials that warn once, at first use, of a session that ends within a day. */
function withExpiryWarning(
  credentials: ResolvedCredentials,
  { runtime, settings, out }: ClientParts,
): ResolvedCredentials {
  const { session } = credentials;
  if (!session) return credentials;
  let hasWarned = false;
  const secret = async () => {
    const read = await session.secret();
    const expiry = hasWarned ? undefined : sessionExpiry(read);
    hasWarned = true;
    if (expiry) {
      const { expiryWarning } = await import('./words.ts');
      const warning = expiryWarning(expiry, runtime.now(), settings.profile.value);
      if (warning) out.warn(warning);
    }
    return read;
  };
  return { ...credentials, session: { ...session, secret } };
}

/** A client that shows its progress on stderr. */
export function withProgress(client: Client, out: Output): Client {
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
        rows += Array.isArray(page) ? page.length : rowsAt(page, options.rowsAt ?? op.rowsAt ?? []).length;
        const all = total === undefined ? undefined : Math.min(total - (options.offset ?? 0), options.limit ?? total);
        wait.say(`${doing}… ${formatCount(rows)}${all === undefined || all < rows ? '' : ` of ${formatCount(all)}`}`);
        yield page as Unwrapped<O>;
      }
    } finally {
      wait.end();
    }
  }

  return {
    ...client,
    call: (op, input) => during(`${doingOf(op, out.subject())}…`, () => client.call(op, input)),
    send: (op, input, options) => during(`${doingOf(op, out.subject())}…`, () => client.send(op, input, options)),
    request: (request) =>
      during(`${request.method} ${request.path.replace(/\?.*$/s, '')}…`, () => client.request(request)),
    pages: (op, input, options = {}) => pages(op, input, options),
  };
}

/** `Reading grants`, `Writing entries`; entries by the name of their list. */
function doingOf({ method, path }: Operation, subject: string | undefined): string {
  const noun = path.split('/').findLast((part) => part !== '' && !part.startsWith('{')) ?? path;
  const name = noun === 'entries' && subject !== undefined ? subject : noun;
  return `${method === 'GET' ? 'Reading' : 'Writing'} ${name}`;
}

const formatCount = (count: number) => groupDigits(String(count));
