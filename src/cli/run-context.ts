/** The context of a running command: settings, client and output, each created when it is first used. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Client } from '../client/client.ts';
import type { Connection } from '../client/network.ts';
import { emptyProfiles, loadProfiles, type ProfilesFile, resolveCompany } from '../config/profile.ts';
import type { Settings } from '../config/setting.ts';
import { requireBaseUrl, resolveSettings } from '../config/settings.ts';
import { type Paths, paths } from '../config/store.ts';
import type { Operation } from '../contract/operation.ts';
import { demo } from '../core/demo.ts';
import { Failure, usage } from '../core/errors.ts';
import type { Output } from '../output/output.ts';
import { createOutput } from '../output/write/create-output.ts';
import { serverClock } from './clock.ts';
import type { Context, PlannedCall, Runtime, WriteLog } from './context.ts';
import type { AnyCommand } from './define.ts';
import type { Parsed } from './route.ts';
import { nameOut } from './show.ts';
import type { Tree } from './tree.ts';

interface ContextParts {
  command: AnyCommand;
  parsed: Parsed;
  runtime: Runtime;
  tree: Tree;
  /** Used instead of the network by tests. */
  connection?: Connection | undefined;
  /** Called when the settings are known: they decide how errors are printed. */
  onSettings(settings: Settings): void;
  writes: WriteLog;
}

export function createContext(parts: ContextParts): Context & { close(): Promise<void> } {
  const { command, parsed, tree } = parts;
  const given = parsed.globals.noColor ? withoutColor(parts.runtime) : parts.runtime;
  // The demo's clock stands still (docs/server.md, "Demo data" 2): `--last` and expiry mean the same on both sides.
  const onDemo = () => settings().baseUrl.value === 'embedded:' && !given.env.COMEM_NOW;
  const runtime = changed(given, { now: () => (onDemo() ? new Date(demo.now) : given.now()) });
  const fixedClock = () => onDemo() || Boolean(given.env.COMEM_NOW);
  const clock = serverClock(
    () => runtime.now(),
    (text) => out().warn(text),
  );
  const folders = lazy(() => paths(runtime.env));
  const profiles = lazy<ProfilesFile>(() => (command.unsettled ? readable(folders()) : loadProfiles(folders())));
  const settings = lazy(() => {
    checkGiven(command, parsed.globals.company?.length ?? 0);
    const found = resolveSettings(parsed.globals, runtime.env, profiles(), runtime.terminal);
    checkCompanies(command, found);
    parts.onSettings(found);
    checkApplies(command, found);
    return found;
  });
  const out = lazy<Output>(() => createOutput({ ...settings(), nameOut: nameOut(settings(), runtime) }, runtime));
  let client: Promise<Client> | undefined;
  const clientParts = () => ({
    command,
    settings: settings(),
    profiles: profiles(),
    folders: folders(),
    runtime,
    out: out(),
    connection: parts.connection,
    onHeaders: fixedClock() ? undefined : clock.see,
  });

  const recorded = async (made: Client, own: Settings): Promise<Client> => {
    if (!command.writes) return made;
    const { recording } = await import('./recorder.ts');
    return recording(made, { ...clientParts(), settings: own, command: command.path, writes: parts.writes });
  };
  const open = async (): Promise<Client> => {
    const { makeClient } = await import('./make-client.ts');
    runtime.beforeRequests?.();
    return recorded(makeClient(clientParts()), settings());
  };

  const context: Context = {
    runtime,
    program: {
      async help(words) {
        if (words.length === 0 && settings().output.value === 'json') {
          const { helpTree } = await import('./help-tree.ts');
          return `${JSON.stringify(await helpTree(tree), undefined, 2)}\n`;
        }
        const { helpOf } = await import('./help.ts');
        return helpOf(tree, words, runtime.terminal.columns);
      },
      async completion(shell) {
        const { completionScript } = await import('./completion/index.ts');
        return completionScript(tree, shell);
      },
    },
    get folders() {
      return folders();
    },
    get profiles() {
      return profiles();
    },
    get settings() {
      return settings();
    },
    get out() {
      return out();
    },
    client() {
      client ??= open();
      return client;
    },
    async clientFor(account) {
      const { openClient } = await import('./make-client.ts');
      runtime.beforeRequests?.();
      const made = openClient(clientParts(), account);
      return account.journal ? recorded(made, account.journal) : made;
    },
    now: () => (fixedClock() ? runtime.now() : clock.now()),
    company() {
      return settings().companies.value[0];
    },
    requireCompany() {
      const company = settings().companies.value[0];
      if (company !== undefined) return company;
      // A missing address is reported first.
      requireBaseUrl(settings(), profiles());
      throw usage(
        `\`comem ${command.path}\` needs a company, and none is set`,
        'name one with -c COMPANY or COMEM_COMPANY_ID, or give the profile a default',
      );
    },
    companyOf(text, from) {
      return resolveCompany(text, settings().aliases, from, settings().profile.value);
    },
    async prepare(calls: Iterable<PlannedCall>, question?: string) {
      const { prepareWrites } = await import('./guard.ts');
      return prepareWrites(context, profiles(), calls, question);
    },
    async confirm(question) {
      const { confirmOrRefuse } = await import('./guard.ts');
      return confirmOrRefuse(context, question);
    },
    async write<O extends Operation>(op: O, input: PlannedCall<O>['input'], question?: string) {
      await context.prepare([{ op, input } as PlannedCall], question);
      return (await context.client()).call(op, input);
    },
    readStdin: lazy(() => readAll(runtime)),
    async readArgument(argument) {
      if (argument === '-') return context.readStdin();
      return argument.startsWith('@') ? readText(resolve(runtime.cwd, argument.slice(1))) : argument;
    },
  };
  return Object.assign(context, {
    async close() {
      await client?.then(
        (made) => made.close(),
        () => {},
      );
    },
  });
}

/** Global flags that do nothing for this command are refused: a script must not believe that they worked. */
function checkApplies(command: AnyCommand, settings: Settings): void {
  if (settings.dryRun && !command.writes) {
    throw usage(`--dry-run is for commands that write, and \`comem ${command.path}\` writes nothing to the API`);
  }
  const shape = settings.jq ? '--jq' : settings.fields ? '--fields' : settings.out ? '--out' : undefined;
  if (shape && command.stdout === 'nothing' && !settings.dryRun) {
    throw usage(`${shape} is for commands that print a result, and \`comem ${command.path}\` prints none`, 'omit it');
  }
  const { value: format, origin, from } = settings.output;
  const said = origin === 'flag' ? `-o ${format}` : `${format} (${from})`;
  const hasRows = command.stdout === 'rows' || command.stdout === 'object';
  if (format === 'spark' && hasRows && !command.draws) {
    throw usage(
      `${said} draws rows of periods with numbers, and \`comem ${command.path}\` prints none`,
      'use another -o',
    );
  }
  if (format === 'id' && command.withoutIds) {
    throw usage(`${said} prints ids, and the rows of \`comem ${command.path}\` have none`, 'use another -o');
  }
}

function checkGiven({ path, manyCompanies }: AnyCommand, given: number): void {
  if (!manyCompanies && given > 1)
    throw usage(`-c was given ${given} times, but \`comem ${path}\` acts on one company`);
}

/** A group of one company is that company. */
function checkCompanies(command: AnyCommand, { companies: { value, from } }: Settings): void {
  if (command.manyCompanies || value.length <= 1) return;
  throw usage(`${from} names ${value.length} companies, but \`comem ${command.path}\` acts on one`, 'name one with -c');
}

async function readAll({ stdin, terminal }: Runtime): Promise<string> {
  if (terminal.stdinIsTTY) throw usage('stdin is a terminal, but a pipe or a file is needed', 'add `< FILE`');
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return utf8(Buffer.concat(chunks), 'stdin');
}

async function readText(file: string): Promise<string> {
  try {
    return utf8(readFileSync(file), file);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'not found' : (code ?? message);
    throw new Failure('usage', `cannot read ${file}: ${why}`, { code: code === 'ENOENT' ? 'no_such_file' : 'usage' });
  }
}

/** UTF-8 text without its byte order mark; bytes that are not UTF-8 are refused, not replaced. */
function utf8(bytes: Buffer, from: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usage(`${from} is not UTF-8 text`);
  }
}

/** The profiles; none where the settings file is broken. */
function readable(folders: Paths): ProfilesFile {
  try {
    return loadProfiles(folders);
  } catch (error) {
    if (error instanceof Failure) return emptyProfiles();
    throw error;
  }
}

function withoutColor(runtime: Runtime): Runtime {
  const terminal = changed(runtime.terminal, { color: { stdout: false, stderr: false } });
  return changed(runtime, { terminal });
}

/** The object with some properties replaced; the others are still read when they are used. */
function changed<T extends object>(object: T, properties: Partial<T>): T {
  return Object.create(object, Object.getOwnPropertyDescriptors(properties)) as T;
}

function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
