/** Two hosts of PostgreSQL that Patroni keeps, with one etcd; all from Debian, on free ports. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { programs, systemUser } from './postgres.ts';

/** Patroni, where it and etcd are installed. */
export const patroni = ['/usr/bin/patroni'].find((path) => existsSync(path) && existsSync('/usr/bin/etcd'));

interface Host {
  name: string;
  port: number;
  rest: number;
  child: ChildProcess;
}

export interface Patroni {
  folder: string;
  etcd: ChildProcess;
  hosts: readonly Host[];
  address(database: string): string;
  /** Runs SQL on the primary. */
  sql(text: string): string;
  /** Waits until the standby has every commit before it is acknowledged. */
  inStep(): Promise<void>;
  /** kill -9 of the primary's PostgreSQL; resolves when the other host takes writes. */
  killPrimary(): Promise<void>;
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) =>
          server.listen(0, '127.0.0.1', () => {
            const address = server.address();
            resolve(typeof address === 'object' && address !== null ? address.port : 0);
          }),
        ),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function settings(name: string, folder: string, etcd: number, port: number, rest: number): string {
  return `scope: comem
name: ${name}
restapi: {listen: '127.0.0.1:${rest}', connect_address: '127.0.0.1:${rest}'}
etcd3: {host: '127.0.0.1:${etcd}'}
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 1
    retry_timeout: 5
    # A host whose PostgreSQL died hands over at once.
    master_start_timeout: 0
    synchronous_mode: true
    postgresql: {use_pg_rewind: true, parameters: {max_connections: 100, shared_buffers: 32MB, wal_log_hints: 'on'}}
  initdb: [{encoding: UTF8}, {locale: C.UTF-8}, {auth: trust}]
postgresql:
  listen: '127.0.0.1:${port}'
  connect_address: '127.0.0.1:${port}'
  data_dir: ${join(folder, name)}
  bin_dir: ${programs}
  pgpass: ${join(folder, `${name}.pgpass`)}
  authentication: {superuser: {username: comem}, replication: {username: comem}, rewind: {username: comem}}
  parameters: {unix_socket_directories: '${folder}', fsync: 'off'}
  pg_hba: ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust']
`;
}

export async function startPatroni(): Promise<Patroni> {
  const folder = mkdtempSync(join(tmpdir(), 'comem-patroni-'));
  const owner = systemUser();
  if (owner) chownSync(folder, owner.uid, owner.gid);
  const [client = 0, peer = 0, ...rest] = await freePorts(6);
  const start = (program: string, args: readonly string[], log: string) => {
    const output = openSync(join(folder, log), 'a');
    return spawn(program, args, { ...owner, cwd: folder, stdio: ['ignore', output, output], detached: true });
  };
  const url = (port: number) => `http://127.0.0.1:${port}`;
  const etcd = start(
    '/usr/bin/etcd',
    [
      ...['--data-dir', join(folder, 'etcd'), '--name', 'e', '--initial-cluster', `e=${url(peer)}`],
      ...['--listen-client-urls', url(client), '--advertise-client-urls', url(client)],
      ...['--listen-peer-urls', url(peer), '--initial-advertise-peer-urls', url(peer)],
    ],
    'etcd.log',
  );
  const hosts = ['a', 'b'].map((name, at): Host => {
    const [port = 0, api = 0] = rest.slice(2 * at);
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, settings(name, folder, client, port, api), { mode: 0o644 });
    return { name, port, rest: api, child: start(patroni ?? '', [file], `${name}.log`) };
  });
  const statusOf = async (host: Host, path: string) => {
    const answer = await fetch(`http://127.0.0.1:${host.rest}/${path}`).catch(() => undefined);
    await answer?.arrayBuffer();
    return answer?.status;
  };
  const hostWith = async (path: string, seconds: number, isMeant: (host: Host) => boolean = () => true) => {
    for (const until = Date.now() + seconds * 1000; Date.now() < until; await sleep(100)) {
      for (const host of hosts) if (isMeant(host) && (await statusOf(host, path)) === 200) return host;
    }
    throw new Error(`no host is ${path} after ${seconds} s; see the logs in ${folder}`);
  };
  let primary = await hostWith('primary', 60);
  const cluster: Patroni = {
    folder,
    etcd,
    hosts,
    address: (database) => {
      const names = hosts.map(({ port }) => `127.0.0.1:${port}`).join(',');
      return `postgres://comem@${names}/${database}?target_session_attrs=read-write`;
    },
    sql: (text) =>
      execFileSync(join(programs ?? '', 'psql'), [
        ...['-X', '-q', '-A', '-t', '-h', '127.0.0.1', '-p', String(primary.port), '-U', 'comem', '-d', 'postgres'],
        ...['-c', text],
      ]).toString(),
    async inStep() {
      await hostWith('synchronous', 60);
    },
    async killPrimary() {
      const before = primary;
      const [pid = ''] = execFileSync('head', ['-1', join(folder, before.name, 'postmaster.pid')])
        .toString()
        .split('\n');
      process.kill(Number(pid), 'SIGKILL');
      primary = await hostWith('primary', 40, (host) => host !== before);
    },
  };
  await cluster.inStep();
  return cluster;
}

/** Ends every process and removes the folder. */
export async function dropPatroni({ folder, etcd, hosts }: Patroni): Promise<void> {
  const children = [...hosts.map(({ child }) => child), etcd];
  for (const child of hosts.map((host) => host.child)) child.kill('SIGTERM');
  await Promise.all(hosts.map(({ child }) => child.exitCode ?? new Promise((resolve) => child.once('exit', resolve))));
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
