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
  /** How wrong its clock is now, in milliseconds. */
  clockOffMs(): number;
  network(process: SimProcess): Omit<Network, 'listen'>;
  openDialect?: AppOptions['openDialect'] | undefined;
}

/** One process that runs the whole app, between its start and its end. */
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

  /** Where its requests go in; null while it listens to none. */
  listener(): RequestListener | null {
    return this.process.dead ? null : this.#listener;
  }

  /**
   * Nothing keeps it from answering in time while what this returns says so: it is up, runs all the while
   * and is not being stopped, and takes what is signed now for new.
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

  /** It is killed as its next answer to an event leaves, when that is before `until`. */
  dieAnswering(until: number): void {
    this.#diesAnsweringUntil = until;
  }

  /** An answer to an event has just left. */
  answered(): void {
    if (virtualNow() < this.#diesAnsweringUntil) this.process.kill();
  }

  /** Rejects when the app does not start; never settles when it is killed meanwhile. */
  start(): Promise<unknown> {
    return this.process.unlessDead(this.process.run(() => this.#app.start()));
  }

  /** Ends it in order. Never settles when it is killed meanwhile. */
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

  // What the ledger answers never reaches a dead process, be it an error of the closed database.
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
