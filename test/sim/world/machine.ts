import type { RequestListener } from 'node:http';
import { type App, createApp } from '../../../src/app.ts';
import type { AppOptions, GivenOptions, Network } from '../../../src/app-options.ts';
import { type Clock, createClock, systemClock } from '../../../src/base/index.ts';
import { loadConfig } from '../../../src/config.ts';
import { withLines } from '../../support/with-lines.ts';
import { SimProcess } from '../kernel/process.ts';
import { appRandom, type Rng } from '../kernel/random.ts';
import { virtualNow } from '../kernel/virtual-time.ts';
import { type Trace, traceLogger } from './trace.ts';

/** How long a supervisor waits before it restarts a process that did not come up. */
const RETRY_MS = 5_000;
const SECOND_PROCESS_MS = 3_000;
/** How long a process that is to die with its next response to an event waits for one. */
const KILL_ON_ACK_WITHIN_MS = 5_000;

interface InstanceOptions {
  name: string;
  env: Record<string, string>;
  rng: Rng;
  trace: Trace;
  /** Returns how far its machine's clock is off now, in milliseconds. */
  clockOffMs(): number;
  network(process: SimProcess): Omit<Network, 'listen'>;
  openDialect?: AppOptions['openDialect'] | undefined;
}

interface MachineOptions extends Omit<InstanceOptions, 'name' | 'clockOffMs'> {
  number: number;
  /**
   * Called when an instance was stopped in order and has closed everything it had open; `now` is by
   * its clock.
   */
  onStopped(machine: { name: string; now: number }): void;
}

/** A machine where one app process at a time runs under a supervisor, with its data folder. */
export class Machine {
  readonly name: string;
  clockOffMs = 0;
  /** When the app was last started here, in milliseconds since the epoch. */
  startedAt = 0;
  instance: AppInstance | null = null;
  /** How often its process was really killed: the plan may ask for a moment that never comes. */
  kills = 0;
  readonly #options: MachineOptions;
  #lastUp: AppInstance | null = null;
  #starts = 0;
  #isWanted = false;

  constructor(options: MachineOptions) {
    this.#options = options;
    this.name = `app ${options.number + 1}`;
  }

  start(): void {
    this.#isWanted = true;
    if (this.instance) return;
    this.#starts += 1;
    this.startedAt = virtualNow();
    this.#trace('is started');
    const instance = this.#createInstance(this.name, `${this.name} ${this.#starts}`);
    this.instance = instance;
    instance.process.onDeath(() => this.#trace('is killed'));
    void this.#startInstance(instance).then((isUp) => {
      if (isUp) this.#lastUp = instance;
      else void this.#restartAfter(instance, RETRY_MS);
    });
  }

  get wasUp(): boolean {
    return this.#lastUp !== null;
  }

  /** Returns whether an app runs here that takes requests. */
  get isUp(): boolean {
    return Boolean(this.instance?.listener());
  }

  /** Kills the process at the n-th crash point from now, and starts it again after a while. */
  kill(crashPoints: number, downMs: number): void {
    this.#restartOnDeath(downMs)?.process.killAtCrashPoint(crashPoints);
  }

  /** Kills the process as it acknowledges its next event, if that is soon, and starts it again. */
  killOnAcknowledge(downMs: number): void {
    this.#restartOnDeath(downMs)?.killOnAcknowledge(virtualNow() + KILL_ON_ACK_WITHIN_MS);
  }

  /** Sets the clock right and cancels a planned kill. */
  endFaults(): void {
    this.clockOffMs = 0;
    this.instance?.process.killAtCrashPoint(Number.POSITIVE_INFINITY);
  }

  /** Stops the process in order, and starts it again after a while. */
  async restart(downMs: number): Promise<void> {
    // The process is already being stopped.
    if (!this.#isWanted) return;
    const { instance } = this;
    const pauses = instance?.process.pauses;
    await this.stop();
    // An instance that was not up may not have ended its predecessor's claims yet, and one that was
    // paused meanwhile may have had no time to release its own.
    const wasFree = instance === this.#lastUp && instance?.process.pauses === pauses;
    if (instance && wasFree && !instance.process.dead)
      this.#options.onStopped({ name: this.name, now: instance.clock.now() });
    // As in main.ts, whatever is left behind ends with the process.
    instance?.process.kill();
    await systemClock.sleep(downMs);
    this.start();
  }

  /** Starts a second process on the same folder; it must end unless it may use the folder. */
  async startSecondProcess(): Promise<void> {
    const name = `${this.name}, a second one`;
    const second = this.#createInstance(name, name);
    if (!(await this.#startInstance(second))) return;
    // The first was down, or they share a database.
    await systemClock.sleep(SECOND_PROCESS_MS);
    await second.stop();
    this.#options.trace.add(`${name} has ended`);
    second.process.kill();
  }

  async stop(): Promise<void> {
    this.#isWanted = false;
    const { instance } = this;
    if (!instance) return;
    this.#trace('is stopped');
    const death = new Promise<void>((resolve) => instance.process.onDeath(resolve));
    await Promise.race([instance.stop(), death]);
    if (!instance.process.dead) this.#trace('has ended');
    this.instance = null;
  }

  #createInstance(name: string, source: string): AppInstance {
    const rng = this.#options.rng.fork(source);
    return new AppInstance({ ...this.#options, name, rng, clockOffMs: () => this.clockOffMs });
  }

  // Resolves with whether it is up; if it does not start, it is killed.
  async #startInstance(instance: AppInstance): Promise<boolean> {
    const { name } = instance.process;
    try {
      await instance.start();
      this.#options.trace.add(`${name} is up`);
      return true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : error;
      this.#options.trace.add(`${name} does not start: ${reason}`);
      instance.process.kill();
      return false;
    }
  }

  #restartOnDeath(downMs: number): AppInstance | null {
    const { instance } = this;
    instance?.process.onDeath(() => {
      if (this.#isWanted && this.instance === instance) this.kills += 1;
      void this.#restartAfter(instance, downMs);
    });
    return instance;
  }

  async #restartAfter(instance: AppInstance | null, waitMs: number): Promise<void> {
    await systemClock.sleep(waitMs);
    if (this.instance !== instance) return;
    this.instance = null;
    if (this.#isWanted) this.start();
  }

  #trace(what: string): void {
    this.#options.trace.add(`${this.name} ${what}`);
  }
}

/** One process that runs the whole app, from its start to its end. */
export class AppInstance {
  readonly process: SimProcess;
  readonly clock: Clock;
  readonly #app: App;
  readonly #clockOffMs: () => number;
  #listener: RequestListener | null = null;
  #killOnAcknowledgeUntil = 0;
  #isStopping = false;

  constructor(options: InstanceOptions) {
    this.process = new SimProcess(options.name);
    this.#clockOffMs = options.clockOffMs;
    const wall = () => virtualNow() + this.#clockOffMs();
    this.clock = createClock({ wall, elapsed: virtualNow });
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
  watchHealth(): () => boolean {
    const { pauses } = this.process;
    const isHealthy = () =>
      this.listener() !== null &&
      !(this.#isStopping || this.process.isPaused) &&
      this.process.pauses === pauses &&
      this.#clockOffMs() === 0;
    const wasHealthy = isHealthy();
    return () => wasHealthy && isHealthy();
  }

  /** Kills it as its next response to an event is sent, if that happens before `until`. */
  killOnAcknowledge(until: number): void {
    this.#killOnAcknowledgeUntil = until;
  }

  eventAcknowledged(): void {
    if (virtualNow() < this.#killOnAcknowledgeUntil) this.process.kill();
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

  #appOptions({ rng, trace, name, openDialect, network }: InstanceOptions): GivenOptions {
    return {
      clock: this.clock,
      random: appRandom(rng),
      logger: traceLogger(trace, name),
      network: { ...network(this.process), listen: async (given) => this.#listen(given) },
      aroundLedger: (ledger) => withLines(this.#unlessDead(ledger)),
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
  #unlessDead<T extends object>(ledger: T): T {
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
