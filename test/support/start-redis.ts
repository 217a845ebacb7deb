import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from './free-port.ts';

export interface StartedRedis {
  url: string;
  /** Stops the server; what it knew is lost. */
  stop(): Promise<void>;
}

/** A Redis of the test's own, that writes nothing to disk. Rejects when redis-server is missing. */
export async function startRedis(port?: number): Promise<StartedRedis> {
  const listensOn = port ?? (await freePort());
  const directory = await mkdtemp(join(tmpdir(), 'redis-'));
  const options = [
    '--port',
    `${listensOn}`,
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
    url: `redis://127.0.0.1:${listensOn}`,
    async stop() {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const exit = once(server, 'exit');
      server.kill('SIGKILL');
      await exit;
      await rm(directory, { recursive: true });
    },
  };
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
