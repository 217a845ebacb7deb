import type { RequestListener } from 'node:http';
import { type App, createApp } from '../../../src/app.ts';
import type { AppOptions, Network } from '../../../src/app-options.ts';
import { type Clock, systemClock } from '../../../src/base/index.ts';
import { loadConfig } from '../../../src/config.ts';
import { SimProcess } from '../kernel/process.ts';
import { type Chance, randomFrom } from '../kernel/random.ts';
import { virtualNow } from '../kernel/virtual-time.ts';
import { type Trace, traceLogger } from './trace.ts';

/** How long a supervisor waits before it restarts a process that did not come up. */
const AGAIN_MS = 5_000;
const SECOND_LASTS_MS = 3_000;
/** How long a process that is to die with its next response to an event waits for one. */
const ANSWERS_WITHIN_MS = 5_000;

interface SeatTools extends Omit<InstanceOptions, 'name' | 'clockOffMs'> {
  /** The number of this seat in the world. */
  number: number;
  /** Called when an instance was stopped in order and has closed everything it had open. */
  onStopped(seat: { name: string; clockOffMs: number }): void;
}

/** A machine where one app process at a time runs under a supervisor, with its data folder. */
export class Seat {
  readonly name: string;
  /** How far the machine's clock is off, in milliseconds. */
  clockOffMs = 0;
  /** When the app was last started here, in milliseconds since the epoch. */
  startedAt = 0;
  instance: AppInstance | null = null;
  /** How often its process was really killed: the plan may ask for a moment that never comes. */
  kills = 0;
  readonly #tools: SeatTools;
  #up: AppInstance | null = null;
  #starts = 0;
  #wanted = false;

  constructor(tools: SeatTools) {
    this.#tools = tools;
    this.name = `app ${tools.number + 1}`;
  }

  /** Starts the app, and retries until it is up. */
  up(): void {
    this.#wanted = true;
    if (this.instance) return;
    this.#starts += 1;
    this.startedAt = virtualNow();
    const { trace, chance } = this.#tools;
    trace.add(`${this.name} is started`);
    const instance = new AppInstance({
      ...this.#tools,
      name: this.name,
      chance: chance.fork(`${this.name} ${this.#starts}`),
      clockOffMs: () => this.clockOffMs,
    });
    this.instance = instance;
    instance.process.onDeath(() => trace.add(`${this.name} is killed`));
    instance.start().then(
      () => {
        this.#up = instance;
        trace.add(`${this.name} is up`);
      },
      (error: unknown) => {
        trace.add(`${this.name} does not start: ${error instanceof Error ? error.message : error}`);
        instance.process.kill();
        void this.#again(instance);
      },
    );
  }

  /** Returns whether the app has ever been up here. */
  get wasUp(): boolean {
    return this.#up !== null;
  }

  /** Kills the process at the n-th edge from now, and starts it again after a while. */
  kill(edges: number, downMs: number): void {
    const { instance } = this;
    if (!instance) return;
    this.#startsAfter(instance, downMs);
    instance.process.killAtEdge(edges);
  }

  /** Kills the process with its next response to an event, if that is soon, and starts it again. */
  killAnswering(downMs: number): void {
    const { instance } = this;
    if (!instance) return;
    this.#startsAfter(instance, downMs);
    instance.dieAnswering(virtualNow() + ANSWERS_WITHIN_MS);
  }

  /** Sets the clock right and cancels a planned kill. */
  calm(): void {
    this.clockOffMs = 0;
    this.instance?.process.killAtEdge(Number.POSITIVE_INFINITY);
  }

  /** Returns whether an app runs here that takes requests. */
  get isUp(): boolean {
    return Boolean(this.instance?.listener());
  }

  /** Stops the process in order, and starts it again after a while. */
  async restart(downMs: number): Promise<void> {
    // The process is already being stopped.
    if (!this.#wanted) return;
    const { instance } = this;
    const pauses = instance?.process.pauses;
    await this.down();
    // An instance that was not up may not have ended its predecessor's claims yet, and one that was
    // paused meanwhile may have had no time to release its own.
    const wasFree = instance === this.#up && instance?.process.pauses === pauses;
    if (instance && wasFree && !instance.process.dead) this.#tools.onStopped(this);
    // As in main.ts, whatever is left behind ends with the process.
    instance?.process.kill();
    await systemClock.sleep(downMs);
    this.up();
  }

  /** Starts a second process on the same folder; it must end unless it may use the folder. */
  startTwice(): void {
    const { trace, chance } = this.#tools;
    const name = `${this.name}, a second one`;
    const options = { ...this.#tools, name, chance: chance.fork(name) };
    const second = new AppInstance({ ...options, clockOffMs: () => this.clockOffMs });
    second.start().then(
      () => this.#outlive(second, name),
      (error: unknown) => {
        trace.add(`${name} does not start: ${error instanceof Error ? error.message : error}`);
        second.process.kill();
      },
    );
  }

  // The second process came up, so the first was down or they share a database. It is soon stopped.
  async #outlive(second: AppInstance, name: string): Promise<void> {
    this.#tools.trace.add(`${name} is up`);
    await systemClock.sleep(SECOND_LASTS_MS);
    await second.stop();
    this.#tools.trace.add(`${name} has ended`);
    second.process.kill();
  }

  /** Stops the process in order. */
  async down(): Promise<void> {
    this.#wanted = false;
    const { instance } = this;
    if (!instance) return;
    this.#tools.trace.add(`${this.name} is stopped`);
    const death = new Promise<void>((resolve) => instance.process.onDeath(resolve));
    await Promise.race([instance.stop(), death]);
    if (!instance.process.dead) this.#tools.trace.add(`${this.name} has ended`);
    this.instance = null;
  }

  #startsAfter(instance: AppInstance, downMs: number): void {
    instance.process.onDeath(() => {
      if (this.#wanted && this.instance === instance) this.kills += 1;
      void this.#again(instance, downMs);
    });
  }

  async #again(instance: AppInstance, waitMs = AGAIN_MS): Promise<void> {
    await systemClock.sleep(waitMs);
    if (this.instance !== instance) return;
    this.instance = null;
    if (this.#wanted) this.up();
  }
}

interface InstanceOptions {
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
