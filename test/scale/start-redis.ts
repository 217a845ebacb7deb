import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endProcess, untilWritten } from '../support/child-process.ts';
import { freePort } from '../support/loopback.ts';

const run = promisify(execFile);

export interface StartedRedis {
  url: string;
  /** Stops the server; its data is lost. */
  stop(): Promise<void>;
}

interface RedisServerOptions {
  /** Default: any free port. */
  port?: number;
  /** Accepts TLS only, with a self-signed certificate. Default: false. */
  tls?: boolean;
}

/** Starts a Redis for this test that writes nothing to disk. Rejects if redis-server is missing. */
export async function startRedis(given: RedisServerOptions = {}): Promise<StartedRedis> {
  const { port = await freePort(), tls = false } = given;
  const directory = await mkdtemp(join(tmpdir(), 'redis-'));
  const address = tls ? await tlsOptions(directory, port) : ['--port', `${port}`];
  const options = [...address, '--bind', '127.0.0.1', '--save', '', '--dir', directory];
  const server = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'inherit'] });
  await untilWritten(server, server.stdout, 'Ready to accept connections');
  return {
    url: `${tls ? 'rediss' : 'redis'}://127.0.0.1:${port}`,
    stop: async () => {
      await endProcess(server, 'SIGKILL');
      await rm(directory, { recursive: true, force: true });
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
