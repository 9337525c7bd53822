/** Throw-away PostgreSQL clusters, each in a folder of its own and reached by a socket in it: no port is taken. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The folder of PostgreSQL's programs; undefined when it is not installed. */
export const programs = findPrograms();
/** For the name of a test that is skipped. */
export const missing = 'initdb: apt-get install postgresql';

export interface Cluster {
  folder: string;
  /** The address of a database in it. */
  address(database: string): string;
  /** Runs SQL in the maintenance database and gives its output, unaligned. */
  sql(text: string, database?: string): string;
  /** Runs one of PostgreSQL's programs against a database, such as pg_dump. */
  run(program: string, args: readonly string[], input?: string | Buffer): Buffer;
  start(): void;
  stop(mode?: 'fast' | 'immediate'): void;
  /** Sends a signal to its processes, the first of which is the parent of the others. */
  signal(name: NodeJS.Signals): void;
}

/** PgBouncer, where it is installed. */
export const pgbouncer = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path));

export interface Bouncer {
  /** The address of a database of the cluster, through the pool. */
  address(database: string): string;
  isReady(): boolean;
  stop(): void;
}

/** PgBouncer in transaction mode before the cluster, on a socket in its folder. */
export function startBouncer(cluster: Cluster, settings = ''): Bouncer {
  const { folder } = cluster;
  const config = join(folder, 'pgbouncer.ini');
  writeFileSync(
    config,
    `[databases]
* = host=${folder} user=comem
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = ${folder}
auth_type = any
pool_mode = transaction
default_pool_size = 20
max_client_conn = 1000
server_reset_query =
logfile = ${join(folder, 'pgbouncer.log')}
pidfile = ${join(folder, 'pgbouncer.pid')}
${settings}
`,
  );
  runAs(pgbouncer ?? '', ['-d', config]);
  const bouncer = bouncerIn(cluster);
  waitUntil(bouncer.isReady);
  return bouncer;
}

/** The pool of a cluster, whoever started it. */
export function bouncerIn({ folder }: Cluster): Bouncer {
  const socket = join(folder, '.s.PGSQL.6432');
  const pid = join(folder, 'pgbouncer.pid');
  return {
    address: (database) => `postgres://comem@localhost:6432/${database}?host=${encodeURIComponent(folder)}`,
    isReady: () => existsSync(socket),
    stop() {
      if (!existsSync(pid)) return;
      process.kill(Number(readFileSync(pid, 'utf8')), 'SIGTERM');
      waitUntil(() => !existsSync(pid));
    },
  };
}

function waitUntil(isSo: () => boolean): void {
  const until = Date.now() + 10_000;
  while (!isSo() && Date.now() < until) spawnSync('sleep', ['0.05']);
}

function findPrograms(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...(process.env.PATH ?? '').split(':')];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl')));
}

const settings = `
listen_addresses = ''
max_connections = 300
shared_buffers = 64MB
`;
/** Without syncs: what is tested is kept from kills of processes, and the machine stays up. */
const withoutSyncs = `
fsync = off
synchronous_commit = off
full_page_writes = off
autovacuum_naptime = 5s
`;

/** Makes a cluster and starts it. `stop` and removing its folder are the caller's. */
export function makeCluster(folder = mkdtempSync(join(tmpdir(), 'comem-pg-')), more = withoutSyncs): Cluster {
  const cluster = clusterIn(folder);
  const data = join(folder, 'data');
  mkdirSync(data, { recursive: true });
  giveAway(folder);
  giveAway(data);
  runAs(join(programs ?? '', 'initdb'), [
    ...['-D', data, '--username=comem', '--auth=trust', '--no-sync', '--encoding=UTF8'],
    // Not C: the order of text must come from us, whatever the cluster was made for.
    ...['--locale=C.UTF-8', '--no-instructions'],
  ]);
  writeFileSync(join(data, 'postgresql.conf'), `${settings}${more}unix_socket_directories = '${folder}'\n`, {
    flag: 'a',
  });
  cluster.start();
  return cluster;
}

/** A standby that follows the cluster, in a new folder or in place of what is there; `promote` makes it the primary. */
export function makeStandby(
  primary: Cluster,
  folder = mkdtempSync(join(tmpdir(), 'comem-pg-')),
): Cluster & { promote(): void } {
  const data = join(folder, 'data');
  rmSync(data, { recursive: true, force: true });
  // What was killed leaves the lock of its socket, and another process may have its number by now.
  rmSync(join(folder, '.s.PGSQL.5432.lock'), { force: true });
  const standby = baseBackup(primary, folder, '-R');
  standby.start();
  return { ...standby, promote: () => runAs(join(programs ?? '', 'pg_ctl'), ['-D', data, '-w', '-s', 'promote']) };
}

/** `pg_basebackup` of a running cluster into a folder, ready to be started as a cluster of its own. */
export function baseBackup(
  cluster: Cluster,
  folder = mkdtempSync(join(tmpdir(), 'comem-pg-')),
  ...options: string[]
): Cluster {
  const data = join(folder, 'data');
  giveAway(folder);
  runAs(join(programs ?? '', 'pg_basebackup'), [
    ...['-h', cluster.folder, '-U', 'comem', '-D', data, '-X', 'stream', '--checkpoint=fast', ...options],
  ]);
  writeFileSync(join(data, 'postgresql.conf'), `unix_socket_directories = '${folder}'\n`, { flag: 'a' });
  return clusterIn(folder);
}

/** The settings of a cluster that keeps its log of writes in the folder. */
export function archiveTo(folder: string): string {
  giveAway(folder);
  return `archive_mode = on\narchive_command = 'cp %p ${folder}/%f'\n`;
}

/** Starts a base backup, up to a point of the archive. */
export function recover(cluster: Cluster, archive: string, point: string): void {
  const data = join(cluster.folder, 'data');
  const target = `recovery_target_name = '${point}'\nrecovery_target_action = 'promote'\n`;
  const settings = `archive_mode = off\nrestore_command = 'cp ${archive}/%f %p'\n${target}`;
  writeFileSync(join(data, 'postgresql.conf'), settings, { flag: 'a' });
  writeFileSync(join(data, 'recovery.signal'), '');
  cluster.start();
}

/** A cluster that was made in the folder before. */
export function clusterIn(folder: string): Cluster {
  const data = join(folder, 'data');
  const control = (...args: string[]) => {
    // Without a log file pg_ctl's own output would be the server's, and would never end.
    runAs(join(programs ?? '', 'pg_ctl'), ['-D', data, '-w', '-s', ...args]);
  };
  const run: Cluster['run'] = (program, args, input) =>
    execFileSync(join(programs ?? '', program), ['-h', folder, '-U', 'comem', ...args], {
      input,
      maxBuffer: 1 << 28,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  return {
    folder,
    address: (database) => `postgres://comem@localhost/${database}?host=${encodeURIComponent(folder)}`,
    sql: (text, database = 'postgres') => run('psql', ['-X', '-q', '-A', '-t', '-d', database, '-c', text]).toString(),
    run,
    start: () => control('-l', join(data, 'log'), 'start'),
    stop: (mode = 'immediate') => control('-m', mode, 'stop'),
    signal(name) {
      const [first = ''] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
      const children = spawnSync('pgrep', ['-P', first], { encoding: 'utf8' }).stdout.trim().split('\n');
      for (const pid of [first, ...children].filter((text) => text !== '')) process.kill(Number(pid), name);
    },
  };
}

/** Stops the cluster and takes its folder away. */
export function dropCluster(cluster: Cluster): void {
  bouncerIn(cluster).stop();
  if (existsSync(join(cluster.folder, 'data/postmaster.pid'))) cluster.stop();
  rmSync(cluster.folder, { recursive: true, force: true });
}

/** PostgreSQL refuses to run as root, so one who may do nothing else does. */
export function systemUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' });
  const [uid, gid] = [id('-u'), id('-g')];
  return uid.status === 0 ? { uid: Number(uid.stdout), gid: Number(gid.stdout) } : { uid: 65_534, gid: 65_534 };
}

/** To the user that PostgreSQL runs as. */
function giveAway(path: string): void {
  const owner = systemUser();
  if (owner) chownSync(path, owner.uid, owner.gid);
}

function runAs(program: string, args: readonly string[]): void {
  const { status, stderr, stdout } = spawnSync(program, args, { ...systemUser(), cwd: '/', encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${stderr}${stdout}`);
}
