/** The context of a running command: settings, client and output, each created when it is first used. */
import type { Client } from '../client/client.ts';
import type { Connection } from '../client/network.ts';
import { cachedName, cachedNames, firstAlias, isUnknownCompany, resolveCompany } from '../config/companies.ts';
import { requireCredential, resolveCredentials } from '../config/credentials.ts';
import { loadProfiles, type ProfilesFile, readableProfiles } from '../config/profile.ts';
import { requireBaseUrl, resolveSettings, type Settings } from '../config/settings.ts';
import { paths } from '../config/store.ts';
import { isEmbedded } from '../core/addresses.ts';
import { demo } from '../core/demo.ts';
import { type Failure, usage } from '../core/errors.ts';
import { createOutput, type Output } from '../output/write/create-output.ts';
import { checkApplies, checkCompanies, isOfPast } from './applies.ts';
import type { Context, OtherAccount, PlannedCall, Runtime, WriteLog } from './context.ts';
import type { AnyCommand } from './define.ts';
import type { ClientParts } from './make-client.ts';
import type { OpenedMirror } from './past.ts';
import type { Parsed } from './route.ts';
import { asTyped, runtimeWith, serverClock, withColor } from './runtime.ts';
import type { Tree } from './tree.ts';

export interface ContextParts {
  command: AnyCommand;
  parsed: Parsed;
  runtime: Runtime;
  tree: Tree;
  /** Used instead of the network by tests. */
  connection?: Connection | undefined;
  /** Called when the settings are known: they decide how errors are printed. */
  onSettings(settings: Settings): void;
  writes: WriteLog;
  /** Why the company is not known: it is thrown instead of any request. */
  failure?: Failure | undefined;
  /** The program itself. */
  run(argv: readonly string[], runtime: Runtime): Promise<number>;
}

export type CommandContext = ReturnType<typeof createContext>;

export function createContext(parts: ContextParts) {
  const { command, parsed, tree } = parts;
  const colored = withColor(parts.runtime, parsed.globals.noColor ? 'never' : parsed.globals.color);
  // The demo's clock stands still (docs/server.md, "Demo data" 2): `--last` and expiry mean the same on both sides.
  const onDemo = () => settings().baseUrl.value === 'embedded:' && !colored.env.COMEM_NOW;
  const present = () => (onDemo() ? new Date(demo.now) : colored.now());
  let past: OpenedMirror | undefined;
  const runtime = runtimeWith(colored, { now: () => past?.now ?? present() });
  const fixedClock = () => past !== undefined || onDemo() || Boolean(colored.env.COMEM_NOW);
  /** The clock of an embedded database. */
  let stored: Date | undefined;
  /** The names of its companies, for a screen. */
  const storedNames = new Map<string, string>();
  const clock = serverClock(
    () => runtime.now(),
    (text) => out().warn(text),
  );
  const folders = lazy(() => paths(runtime.env));
  const profiles = lazy<ProfilesFile>(() =>
    command.ignoresBadSettings ? readableProfiles(folders()) : loadProfiles(folders()),
  );
  const namesAt = (baseUrl: string | undefined) => cachedNames(folders(), baseUrl);
  const settings = lazy(() => {
    checkCompanies(command, parsed.globals.company?.length ?? 0);
    const resolved = resolveSettings(parsed.globals, runtime.env, profiles(), runtime.terminal, namesAt);
    const { value, from } = resolved.companies;
    checkCompanies(command, value.length, from);
    parts.onSettings(resolved);
    checkApplies(command, resolved);
    return resolved;
  });
  let output: Output | undefined;
  const nameOf = (id: string) => context.companyName(id);
  const out = () => {
    const current = settings();
    output ??= createOutput({ ...current, nameOf, typed: (text) => asTyped(current, text) }, runtime);
    return output;
  };
  let client: Promise<Client> | undefined;
  const share: NonNullable<ClientParts['share']> = {};
  const clientParts = () => ({
    command,
    settings: settings(),
    profiles: profiles(),
    folders: folders(),
    runtime,
    out: out(),
    connection: parts.connection,
    onHeaders: fixedClock() ? undefined : clock.see,
    companyName: context.companyName,
    share,
  });

  const openClock = lazy(async () => {
    const isRead = command.operations.length > 0 || Object.hasOwn(command.flags, 'mirror');
    if (!isRead || parts.connection || colored.env.COMEM_NOW || !isEmbedded(settings().baseUrl.value ?? '')) return;
    try {
      const { settingsConnection } = await import('./make-client.ts');
      const database = settingsConnection(clientParts());
      stored = await database.clock();
      if (!runtime.terminal.stdoutIsTTY) return;
      for (const { id, name } of (await database.companies()) ?? []) storedNames.set(id, name);
    } catch {
      // The first request says why the database cannot be opened.
    }
  });
  const openPast = lazy(async (): Promise<OpenedMirror | undefined> => {
    if (!isOfPast(command, parsed.globals)) return undefined;
    await openClock();
    const opened = await import('./past.ts');
    past = await opened.openAsOf({
      settings: settings(),
      runtime: colored,
      folders: folders(),
      now: () => stored ?? present(),
      out: out(),
    });
    return past;
  });
  let undone: Parameters<Context['noteUndone']>[0] | undefined;
  const recorded = async (client: Client, current: Settings): Promise<Client> => {
    if (!command.writes) return client;
    const { recording } = await import('./recorder.ts');
    const { LIST: list } = parts.parsed.args;
    const named = typeof list === 'string' ? list : undefined;
    const run = { command: command.path, list: undone?.list ?? named, undoes: undone?.number };
    return recording(client, { ...clientParts(), ...run, settings: current, writes: parts.writes });
  };
  /** Shows the progress of requests on a terminal. */
  const showingProgress = async (client: Client): Promise<Client> => {
    if (!runtime.terminal.stderrIsTTY || settings().quiet) return client;
    return (await import('./make-client.ts')).withProgress(client, out());
  };
  const open = async (current = settings()): Promise<Client> => {
    if (parts.failure) throw parts.failure;
    const { makeClient } = await import('./make-client.ts');
    const mirror = await openPast();
    runtime.beforeRequests?.();
    return recorded(await showingProgress(makeClient({ ...clientParts(), settings: current, past: mirror })), current);
  };

  /** A context with settings and a client of its own; the rest is shared. */
  const contextOf = (account: OtherAccount, isOther: boolean): Context => {
    const self: Context = {
      runtime,
      program: {
        run: parts.run,
        async help(words, isLong) {
          const { helpOf, helpTree } = await import('./help.ts');
          if (words.length === 0 && settings().output.value === 'json') {
            return `${JSON.stringify(await helpTree(tree), undefined, 2)}\n`;
          }
          return helpOf(tree, words, runtime.terminal.columns, isLong);
        },
      },
      get folders() {
        return folders();
      },
      get profiles() {
        return profiles();
      },
      get settings() {
        return account.settings();
      },
      get out() {
        return account.out ?? out();
      },
      get past() {
        return past;
      },
      client: account.client,
      noteUndone(run) {
        undone = run;
      },
      withSettings(other) {
        if (other) return contextOf(other, true);
        const copy = { ...account.settings() };
        return contextOf({ settings: () => copy, client: lazy(() => open(copy)) }, isOther);
      },
      forCompanies(ids) {
        const copy = self.withSettings();
        copy.settings.companies = { ...copy.settings.companies, value: [...ids] };
        return copy;
      },
      async clientFor(named) {
        if (await openPast()) throw usage('a mirror holds one API, and this command reads another one too');
        const { openClient } = await import('./make-client.ts');
        runtime.beforeRequests?.();
        const client = await showingProgress(openClient({ ...clientParts(), share: undefined }, named));
        return named.journal ? recorded(client, named.journal) : client;
      },
      now: () => past?.now ?? stored ?? (fixedClock() ? runtime.now() : clock.now()),
      company() {
        return account.settings().companies.value[0];
      },
      requireCompany() {
        const { companies, profile } = account.settings();
        const [company] = companies.value;
        if (company !== undefined) return company;
        if (parts.failure) throw parts.failure;
        if (isOther) {
          throw usage(
            `profile "${profile.value}" has no company`,
            `give it one with \`comem profiles set ${profile.value} company=COMPANY\``,
          );
        }
        // A missing address is reported first, and a missing credential before a company that a key would bring.
        requireBaseUrl(account.settings(), profiles());
        const held = resolveCredentials(account.settings(), {
          env: colored.env,
          paths: folders(),
          profiles: profiles(),
        });
        requireCredential(held, colored.env, `\`comem ${command.path}\``);
        throw usage(
          `\`comem ${command.path}\` needs a company, and none is set`,
          'name one with -c COMPANY or COMEM_COMPANY_ID; an API key in COMEM_API_KEY brings its own',
        );
      },
      async databaseCompanies() {
        if (!isEmbedded(account.settings().baseUrl.value ?? '')) return undefined;
        const { settingsConnection } = await import('./make-client.ts');
        return settingsConnection({ ...clientParts(), settings: account.settings() }).companies();
      },
      companyName(id) {
        const { aliases, baseUrl } = settings();
        return firstAlias(aliases, id) ?? cachedName(id, namesAt(baseUrl.value)) ?? storedNames.get(id);
      },
      companyOf(text, from) {
        const { aliases, profile, baseUrl } = settings();
        return resolveCompany(text, aliases, from, profile.value, () => namesAt(baseUrl.value));
      },
      async prepare(calls: Iterable<PlannedCall>, question?: string) {
        if (await openPast())
          throw usage('a mirror is only read, and this request writes', 'omit --as-of and --offline');
        const { prepareWrites } = await import('./guard.ts');
        return prepareWrites(self, calls, question);
      },
      async confirm(question) {
        const { confirmOrRefuse } = await import('./guard.ts');
        return confirmOrRefuse(self, question);
      },
      readStdin: lazy(async () => (await import('./input-files.ts')).readAll(runtime)),
      async readArgument(argument) {
        if (argument === '-') return self.readStdin();
        if (!argument.startsWith('@')) return argument;
        const { readText } = await import('./input-files.ts');
        return readText(runtime, argument.slice(1));
      },
    };
    return self;
  };
  const context = contextOf(
    {
      settings,
      client() {
        client ??= open();
        return client;
      },
    },
    false,
  );

  return Object.assign(context, {
    /** Reads the clock of an embedded database, which is the command's clock. */
    openClock,
    /** Opens the mirror that answers instead of the API; undefined where the API does. */
    openPast,
    /** Whether the company is known without asking the API, or not needed. */
    isSettled() {
      if (isOfPast(command, parsed.globals)) return false;
      if (command.operations.length === 0 || command.ignoresBadSettings) return true;
      try {
        return settings().companies.value.length > 0;
      } catch (error) {
        if (isUnknownCompany(error)) return false;
        throw error;
      }
    },
    async close() {
      output?.progress(undefined);
      await output?.close();
      await client?.then(
        (client) => client.close(),
        () => {},
      );
      if (!client) await share.connected?.close();
      await past?.connection.close();
    },
  });
}

function lazy<T>(make: () => T): () => T {
  let cached: { value: T } | undefined;
  return () => {
    cached ??= { value: make() };
    return cached.value;
  };
}
