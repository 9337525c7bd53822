/** Which modules of src/ a command loads, counted as the program runs from its sources. */
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createViteServer } from 'vitest/node';
import type { Runtime } from '../../src/cli/context.ts';
import { temporaryFolder } from './cli.ts';
import { credentials, now } from './metrics-world.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The modules that are loaded when the command sends its first request, as paths below src/. */
export async function modulesBeforeFirstRequest(argv: readonly string[]): Promise<string[]> {
  const server = await createViteServer({
    root,
    configFile: false,
    logLevel: 'error',
    // Only what runs is transformed, so that what is transformed is what has run.
    server: { middlewareMode: true, hmr: false, watch: null, ws: false, preTransformRequests: false },
    optimizeDeps: { noDiscovery: true, include: [] },
  });
  let loaded: string[] | undefined;
  try {
    const { run } = (await server.ssrLoadModule('/src/main.ts')) as typeof import('../../src/main.ts');
    const send = async () => {
      loaded ??= [...(server.environments.ssr?.moduleGraph.idToModuleMap.values() ?? [])]
        .filter(({ transformResult }) => transformResult !== null)
        .flatMap(({ id }) => (id?.startsWith(`${root}src/`) ? [id.slice(`${root}src/`.length)] : []))
        .sort();
      return { status: 400, headers: {}, body: Buffer.from('{}') };
    };
    await run(argv, quiet(), { connection: { send, close: async () => {} } });
  } finally {
    await server.close();
  }
  if (!loaded) throw new Error(`comem ${argv.join(' ')} sent no request`);
  return loaded;
}

function quiet(): Runtime {
  const sink = () => new Writable({ write: (_chunk, _encoding, done) => done() });
  const home = temporaryFolder();
  return {
    env: { ...credentials, HOME: home, COMEM_BASE_URL: 'https://memory.example' },
    cwd: home,
    terminal: {
      stdinIsTTY: false,
      stdoutIsTTY: false,
      stderrIsTTY: false,
      columns: 80,
      color: { stdout: false, stderr: false },
    },
    stdin: Readable.from([]),
    stdout: sink(),
    stderr: sink(),
    now: () => new Date(now),
    random: () => 0.5,
    signal: new AbortController().signal,
  };
}
