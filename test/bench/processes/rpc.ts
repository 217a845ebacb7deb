import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { endProcess } from '../../support/child-process.ts';

/**
 * The calls that a process of a bench serves: by name, each with one argument, or none, that can be
 * cloned.
 */
export type Calls = Record<string, (argument: never) => unknown>;

interface CallRequest {
  id: number;
  name: string;
  argument: unknown;
}

interface CallResponse {
  id: number;
  value?: unknown;
  error?: string;
}

/** Serves the calls of the parent process, and ends with it. */
export function serveCalls<C extends Calls>(calls: C): void {
  process.on('message', (request: CallRequest) => {
    void respond(calls, request).then((response) => process.send?.(response));
  });
  process.on('disconnect', () => process.exit(0));
}

async function respond(calls: Calls, { id, name, argument }: CallRequest): Promise<CallResponse> {
  try {
    const call = calls[name] as ((argument: unknown) => unknown) | undefined;
    if (!call) throw new Error(`There is no call ${name}`);
    return { id, value: await call(argument) };
  } catch (error) {
    return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/** A process of a bench, with its own memory, processor time and event loop. */
export interface BenchProcess<C extends Calls> {
  pid: number;
  /** Rejects with the call's own error, or if the process ends before it responds. */
  call<N extends keyof C & string>(
    name: N,
    ...argument: Parameters<C[N]>
  ): Promise<Awaited<ReturnType<C[N]>>>;
  /** Kills the process; it has nothing to save. */
  stop(): Promise<void>;
}

/**
 * Starts a module of this folder that serves calls, with arguments and with flags for Node.
 */
export async function startProcess<C extends Calls>(
  module: string,
  { args = [], flags = [] }: { args?: string[]; flags?: string[] } = {},
): Promise<BenchProcess<C>> {
  const child = fork(new URL(module, import.meta.url), args, {
    execArgv: flags,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const pending = awaitResponses(child, module);
  await once(child, 'spawn');
  let calls = 0;
  return {
    pid: child.pid ?? 0,
    call: (name, ...[argument]) => {
      calls += 1;
      const request: CallRequest = { id: calls, name, argument };
      const { promise, ...settle } = Promise.withResolvers<unknown>();
      pending.set(calls, settle);
      child.send(request);
      return promise as Promise<never>;
    },
    stop: () => endProcess(child, 'SIGKILL'),
  };
}

type Settle = Omit<PromiseWithResolvers<unknown>, 'promise'>;

function awaitResponses(child: ChildProcess, module: string): Map<number, Settle> {
  const pending = new Map<number, Settle>();
  child.on('message', ({ id, value, error }: CallResponse) => {
    if (error === undefined) pending.get(id)?.resolve(value);
    else pending.get(id)?.reject(new Error(`${module}: ${error}`));
    pending.delete(id);
  });
  child.once('exit', (code, signal) => {
    for (const { reject } of pending.values())
      reject(new Error(`${module} has ended (${code ?? signal})`));
    pending.clear();
  });
  return pending;
}
