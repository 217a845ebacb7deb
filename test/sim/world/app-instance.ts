import type { RequestListener } from 'node:http';
import { type App, createApp } from '../../../src/app.ts';
import type { AppOptions, Network } from '../../../src/app-options.ts';
import { type Clock, systemClock } from '../../../src/base/index.ts';
import { loadConfig } from '../../../src/config.ts';
import { type Chance, randomFrom } from '../kernel/chance.ts';
import { SimProcess } from '../kernel/sim-process.ts';
import { virtualNow } from '../kernel/virtual-time.ts';
import type { Trace } from './trace.ts';
import { traceLogger } from './trace-logger.ts';

export interface InstanceOptions {
  name: string;
  env: Record<string, string>;
  chance: Chance;
  trace: Trace;
  /** Returns how far its machine's clock is off now, in milliseconds. */
  clockOffMs(): number;
  network(process: SimProcess): Omit<Network, 'listen'>;
  openDialect?: AppOptions['openDialect'] | undefined;
}

/** One process that runs the whole app, from its start to its end. */
export class AppInstance {
  readonly process: SimProcess;
  readonly #app: App;
  #listener: RequestListener | null = null;
  #diesAnsweringUntil = 0;
  #isStopping = false;
  readonly #clockOffMs: () => number;

  constructor(options: InstanceOptions) {
    this.process = new SimProcess(options.name);
    this.#clockOffMs = options.clockOffMs;
    const config = loadConfig(options.env);
    this.#app = this.process.run(() => createApp(config, this.#appOptions(options)));
  }

  /** Returns the handler of its requests; null while it is not listening. */
  listener(): RequestListener | null {
    return this.process.dead ? null : this.#listener;
  }

  /**
   * Returns a function that stays true while nothing has kept the app from responding in time since
   * now: it is up, has not been paused, is not being stopped, and its clock accepts new signatures.
   */
  unhindered(): () => boolean {
    const { pauses } = this.process;
    const isWell = () =>
      this.listener() !== null &&
      !(this.#isStopping || this.process.isPaused) &&
      this.process.pauses === pauses &&
      this.#clockOffMs() === 0;
    const wasWell = isWell();
    return () => wasWell && isWell();
  }

  /** Kills it as its next response to an event is sent, if that happens before `until`. */
  dieAnswering(until: number): void {
    this.#diesAnsweringUntil = until;
  }

  /** Called when a response to an event has just been sent. */
  answered(): void {
    if (virtualNow() < this.#diesAnsweringUntil) this.process.kill();
  }

  /** Rejects if the app does not start; never settles if it is killed meanwhile. */
  start(): Promise<unknown> {
    return this.process.unlessDead(this.process.run(() => this.#app.start()));
  }

  /** Shuts it down in order. Never settles if it is killed meanwhile. */
  stop(): Promise<void> {
    this.#isStopping = true;
    return this.process.unlessDead(this.process.run(() => this.#app.stop()));
  }

  #appOptions(options: InstanceOptions): Partial<AppOptions> {
    const { chance, trace, name, openDialect } = options;
    return {
      clock: clockOf(options),
      random: randomFrom(chance),
      logger: traceLogger(trace, name),
      network: { ...options.network(this.process), listen: async (given) => this.#listen(given) },
      aroundLedger: (ledger) => this.#mortal(ledger),
      ...(openDialect ? { openDialect } : {}),
    };
  }

  #listen({ port, listener }: { port: number; listener: RequestListener }) {
    this.#listener = listener;
    const close = async () => {
      this.#listener = null;
    };
    return { port, close };
  }

  // A ledger result never reaches a dead process, not even an error of the closed database.
  #mortal<T extends object>(ledger: T): T {
    return new Proxy(ledger, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...args: unknown[]) =>
          this.process.unlessDead(Promise.resolve(method.apply(target, args)));
      },
    });
  }
}

function clockOf({ clockOffMs }: InstanceOptions): Clock {
  return { ...systemClock, now: () => virtualNow() + clockOffMs() };
}
