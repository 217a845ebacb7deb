import { systemClock } from '../../../src/base/index.ts';
import { virtualNow } from '../kernel/virtual-time.ts';
import { AppInstance, type InstanceOptions } from './app-instance.ts';

/** How long a supervisor waits before it starts a process again that did not come up. */
const AGAIN_MS = 5_000;
const SECOND_LASTS_MS = 3_000;
/** A process that is to die with an answer does so within this, or not at all. */
const ANSWERS_WITHIN_MS = 5_000;

export interface SeatTools extends Omit<InstanceOptions, 'name' | 'clockOffMs'> {
  /** Which of the world's seats. */
  number: number;
  /** Told when one has been stopped in order, and has closed what it had open. */
  onStopped(name: string): void;
}

/** A place where one process of the app runs at a time, with its folder of data, under a supervisor. */
export class Seat {
  readonly name: string;
  /** How wrong the machine's clock is, in milliseconds. */
  clockOffMs = 0;
  /** When the app was last started here. */
  startedAt = 0;
  instance: AppInstance | null = null;
  /** How often its process was killed: the plan asks for some at a moment that never comes. */
  kills = 0;
  readonly #tools: SeatTools;
  #up: AppInstance | null = null;
  #starts = 0;
  #wanted = false;

  constructor(tools: SeatTools) {
    this.#tools = tools;
    this.name = `app ${tools.number + 1}`;
  }

  /** Starts the app, and again until it is up. */
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

  /** Whether the app has ever been up here. */
  get wasUp(): boolean {
    return this.#up !== null;
  }

  /** The process is killed at the n-th edge from now, and started again after a while. */
  kill(edges: number, downMs: number): void {
    const { instance } = this;
    if (!instance) return;
    this.#startsAfter(instance, downMs);
    instance.process.killAtEdge(edges);
  }

  /** The process is killed as its next answer to an event leaves, if that is soon, and started again. */
  killAnswering(downMs: number): void {
    const { instance } = this;
    if (!instance) return;
    this.#startsAfter(instance, downMs);
    instance.dieAnswering(virtualNow() + ANSWERS_WITHIN_MS);
  }

  /** From now on nothing befalls it: its clock is right, and the death that was to come does not. */
  calm(): void {
    this.clockOffMs = 0;
    this.instance?.process.killAtEdge(Number.POSITIVE_INFINITY);
  }

  /** Whether an app runs here that can be reached. */
  get isUp(): boolean {
    return Boolean(this.instance?.listener());
  }

  /** The process is stopped in order, and started again after a while. */
  async restart(downMs: number): Promise<void> {
    // It is being stopped already.
    if (!this.#wanted) return;
    const { instance } = this;
    const pauses = instance?.process.pauses;
    await this.down();
    // One that was not up has not yet ended the claims of the one before it; one that was paused
    // meanwhile may have had no time to hand its own back.
    const wasFree = instance === this.#up && instance?.process.pauses === pauses;
    if (instance && wasFree && !instance.process.dead) this.#tools.onStopped(this.name);
    // As main.ts does: what is left behind ends with the process.
    instance?.process.kill();
    await systemClock.sleep(downMs);
    this.up();
  }

  /** Somebody starts a second process on the same folder; it ends when it may not go on. */
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

  // It came up: the first one was not there, or shares its database. It is soon stopped again.
  async #outlive(second: AppInstance, name: string): Promise<void> {
    this.#tools.trace.add(`${name} is up`);
    await systemClock.sleep(SECOND_LASTS_MS);
    await second.stop();
    this.#tools.trace.add(`${name} has ended`);
    second.process.kill();
  }

  /** The process is stopped in order. */
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
