/** HAProxy before servers, with the settings of docs/team.md. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The program, where it is installed. */
export const haproxy = ['/usr/sbin/haproxy', '/usr/bin/haproxy'].find((path) => existsSync(path));

export interface Proxy {
  url: string;
  /** Resolves when the proxy gives requests to all of its servers. */
  untilAllUp(): Promise<void>;
  stop(): Promise<void>;
}

/** A port that was free a moment ago: HAProxy and restarted servers need its number before they listen. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('a port has no number');
  return address.port;
}

export async function startProxy(folder: string, ports: readonly number[]): Promise<Proxy> {
  const page = readFileSync(new URL('../../docs/team.md', import.meta.url), 'utf8');
  const documented = /```haproxy\n(.*?)```/s.exec(page)?.[1]?.replace(/^ *server .*\n/gm, '');
  if (documented === undefined) throw new Error('docs/team.md has no settings of HAProxy');
  const port = await freePort();
  const socket = join(folder, 'haproxy.sock');
  const config = join(folder, 'haproxy.cfg');
  writeFileSync(
    config,
    `global\n  stats socket ${socket}\n${documented}` +
      `${ports.map((each, index) => `  server s${index} 127.0.0.1:${each}\n`).join('')}` +
      `frontend clients\n  bind 127.0.0.1:${port}\n  default_backend comem\n`,
  );
  const child = spawn(haproxy ?? '', ['-db', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  await untilUp(socket, ports.length, child);
  return {
    url: `http://127.0.0.1:${port}`,
    untilAllUp: () => untilUp(socket, ports.length, child),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function untilUp(socket: string, servers: number, child: ChildProcess): Promise<void> {
  const until = Date.now() + 30_000;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`HAProxy ended with ${child.exitCode}: ${child.stderr?.read()}`);
    const states = existsSync(socket) ? await serverStates(socket) : [];
    if (states.filter((state) => state === 'UP').length === servers) return;
    if (Date.now() > until) throw new Error(`not all servers are up: ${states.join()}`);
    await sleep(100);
  }
}

async function serverStates(path: string): Promise<string[]> {
  const connection = connect(path);
  connection.end('show stat\n');
  let text = '';
  for await (const chunk of connection) text += chunk;
  const [head = '', ...rows] = text.trim().replace('# ', '').split('\n');
  const [name, status] = ['svname', 'status'].map((column) => head.split(',').indexOf(column));
  return rows
    .map((row) => row.split(','))
    .filter((cells) => /^s\d$/.test(cells[name ?? 0] ?? ''))
    .map((cells) => cells[status ?? 0] ?? '');
}
