import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { endProcess, untilWritten } from '../support/child-process.ts';
import { freePort } from '../support/loopback.ts';

const run = promisify(execFile);

/** Where Debian installs each version's binaries. */
const VERSIONS = '/usr/lib/postgresql';

export interface StartedPostgres {
  /** Creates a new, empty database; resolves with its address. */
  createDatabase(): Promise<string>;
  /** Runs one statement as the superuser, in the database at `url` or in `postgres`. */
  query(text: string, url?: string): Promise<pg.QueryResult>;
  /** Stops the server at once and breaks its connections. Committed data stays until `remove`. */
  stop(): Promise<void>;
  /** Starts it again on the same port and data. */
  restart(): Promise<void>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

/**
 * Starts a PostgreSQL for this test, in a temporary folder on a port of its own. It does not wait
 * for the disk: the tests kill its clients, not the machine. Rejects if the binaries are missing.
 */
export async function startPostgres(): Promise<StartedPostgres> {
  const directory = await mkdtemp(join(tmpdir(), 'postgres-'));
  const owner = await serverUser();
  await chmod(directory, 0o700);
  if (owner) await chown(directory, owner.uid, owner.gid);
  const data = join(directory, 'data');
  const binaries = await newestBinaries();
  const init = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'];
  await run(join(binaries, 'initdb'), init, { ...owner, cwd: directory });
  const port = await freePort();
  const serve = () => startServer({ binaries, directory, data, port, owner });
  let server = await serve();
  const addressOf = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const query = (text: string, url = addressOf('postgres')) => queryOnce(url, text);
  // On SIGINT PostgreSQL breaks all connections and ends.
  const stop = () => endProcess(server, 'SIGINT');
  let databases = 0;
  return {
    createDatabase: async () => {
      databases += 1;
      await query(`create database test_${databases}`);
      return addressOf(`test_${databases}`);
    },
    query,
    stop,
    restart: async () => {
      server = await serve();
    },
    remove: async () => {
      await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function newestBinaries(): Promise<string> {
  const versions = (await readdir(VERSIONS)).map(Number).filter(Number.isInteger);
  return join(VERSIONS, `${Math.max(...versions)}`, 'bin');
}

type Owner = { uid: number; gid: number } | undefined;

// PostgreSQL refuses to run as root; any other user can run it directly.
async function serverUser(): Promise<Owner> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, 'postgres'])).stdout)),
  );
  return uid && gid ? { uid, gid } : undefined;
}

async function startServer(given: {
  binaries: string;
  directory: string;
  data: string;
  port: number;
  owner: Owner;
}): Promise<ChildProcess> {
  const { binaries, directory, data, port, owner } = given;
  const settings = ['listen_addresses=127.0.0.1', 'fsync=off', 'full_page_writes=off'];
  const server = spawn(
    join(binaries, 'postgres'),
    ['-D', data, '-p', `${port}`, '-k', directory, ...settings.flatMap((one) => ['-c', one])],
    { ...owner, cwd: directory, stdio: ['ignore', 'ignore', 'pipe'], env: { LC_MESSAGES: 'C' } },
  );
  await untilWritten(server, server.stderr, 'ready to accept connections');
  return server;
}

async function queryOnce(url: string, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}
