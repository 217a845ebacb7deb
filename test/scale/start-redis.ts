import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { freePort } from '../support/loopback.ts';

const run = promisify(execFile);

export interface StartedRedis {
  url: string;
  /** Stops the server; its data is lost. */
  stop(): Promise<void>;
}

export interface RedisServerOptions {
  /** Default: any free port. */
  port?: number;
  /** Accepts TLS only, with a self-signed certificate. Default: false. */
  tls?: boolean;
}

/** Starts a Redis for this test that writes nothing to disk. Rejects if redis-server is missing. */
export async function startRedis(given: RedisServerOptions = {}): Promise<StartedRedis> {
  const { port = await freePort(), tls = false } = given;
  const directory = await mkdtemp(join(tmpdir(), 'redis-'));
  const options = [
    ...(tls ? await tlsOptions(directory, port) : ['--port', `${port}`]),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--dir',
    directory,
  ];
  const server = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'inherit'] });
  await started(server);
  return {
    url: `${tls ? 'rediss' : 'redis'}://127.0.0.1:${port}`,
    async stop() {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const exit = once(server, 'exit');
      server.kill('SIGKILL');
      await exit;
      await rm(directory, { recursive: true });
    },
  };
}

async function tlsOptions(directory: string, port: number): Promise<string[]> {
  const [key, certificate] = ['key.pem', 'certificate.pem'].map((name) => join(directory, name));
  const request = '-x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=redis -keyout'.split(' ');
  await run('openssl', ['req', ...request, `${key}`, '-out', `${certificate}`]);
  const files = ['--tls-key-file', `${key}`, '--tls-cert-file', `${certificate}`];
  return ['--port', '0', '--tls-port', `${port}`, ...files, '--tls-auth-clients', 'no'];
}

async function started(server: ChildProcess): Promise<void> {
  await once(server, 'spawn');
  if (!server.stdout) throw new Error('redis-server has no output');
  for await (const line of createInterface(server.stdout)) {
    if (line.includes('Ready to accept connections')) {
      server.stdout.resume();
      return;
    }
  }
  throw new Error('redis-server ended before it was ready');
}
