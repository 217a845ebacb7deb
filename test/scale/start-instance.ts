import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { InstanceOrders } from './instance.ts';

/** One instance of the app, in a process of its own. */
export interface Instance {
  port: number;
  /** Freezes the process, in whatever it does. */
  freeze(): void;
  /** Lets a frozen process go on. */
  wake(): void;
  /** Sends SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Shuts it down in order; resolves when it is gone. Does nothing if it is gone already. */
  stop(): Promise<void>;
}

/** Starts an instance; rejects if the process ends before the app runs. */
export async function startInstance(orders: InstanceOrders): Promise<Instance> {
  const child = fork(join(import.meta.dirname, 'instance.ts'), [JSON.stringify(orders)]);
  const gone = once(child, 'exit');
  const failed = gone.then(() => {
    throw new Error('The instance ended before it ran');
  });
  const [started] = await Promise.race([once(child, 'message'), failed]);
  failed.catch(() => undefined);
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    // A frozen process gets the other signal only then.
    child.kill('SIGCONT');
    await gone;
  };
  return {
    port: started.port,
    freeze: () => void child.kill('SIGSTOP'),
    wake: () => void child.kill('SIGCONT'),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}
