import { never } from './never.ts';
import { runAs, type TimerOwner } from './virtual-time.ts';

/** Thrown in place of what a dead process would have done; nobody is there to catch it. */
export class ProcessDied extends Error {
  constructor(name: string) {
    super(`${name} is dead`);
  }
}

/**
 * One process of the app. Whatever it does to the world passes `edge`, where it may be killed: from
 * then on it does nothing, and nothing that it waits for ever comes.
 */
export class SimProcess implements TimerOwner {
  readonly name: string;
  dead = false;
  /** How often it was stopped where it waited. */
  pauses = 0;
  #edgesLeft = Number.POSITIVE_INFINITY;
  #dyings: (() => void)[] = [];
  #paused: PromiseWithResolvers<void> | null = null;
  #deferred: (() => void)[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** Dies at the n-th edge from now: of a statement or message, before it or just after it. */
  killAtEdge(n: number): void {
    this.#edgesLeft = n;
  }

  kill(): void {
    if (this.dead) return;
    this.dead = true;
    for (const die of this.#dyings.splice(0)) runAs(null, die);
  }

  /** Told once, when it dies, or at once when it has. */
  onDeath(die: () => void): void {
    if (this.dead) die();
    else this.#dyings.push(die);
  }

  /** Stops it where it waits: what comes meanwhile reaches it at the end. */
  pause(): () => void {
    const paused = Promise.withResolvers<void>();
    this.#paused = paused;
    this.pauses += 1;
    return () => {
      if (this.#paused === paused) this.#paused = null;
      paused.resolve();
      for (const work of this.#deferred.splice(0)) this.whenRunning(work);
    };
  }

  get isPaused(): boolean {
    return this.#paused !== null;
  }

  whenRunning(work: () => void): void {
    if (this.dead) return;
    if (this.#paused) this.#deferred.push(work);
    else work();
  }

  /** Resolves at once, or at the end of a pause. */
  async running(): Promise<void> {
    await this.#paused?.promise;
  }

  /** Passes one edge: what a process may die at. Throws ProcessDied when it does, or has. */
  pass(): void {
    if (this.dead) throw new ProcessDied(this.name);
    this.#edgesLeft -= 1;
    if (this.#edgesLeft > 0) return;
    this.kill();
    throw new ProcessDied(this.name);
  }

  /** Something that goes out into the world and comes back: neither happens to the dead. */
  async edge<T>(work: () => Promise<T>): Promise<T> {
    try {
      await this.running();
      this.pass();
      const result = await runAs(null, work);
      await this.running();
      this.pass();
      return result;
    } catch (error) {
      await this.running();
      if (this.dead) return never();
      throw error;
    }
  }

  /** Runs something as this process. */
  run<T>(work: () => T): T {
    return runAs(this, work);
  }

  /** What the process waits for inside itself: never comes once it is dead. */
  async unlessDead<T>(work: Promise<T>): Promise<T> {
    try {
      const result = await work;
      return this.dead ? never() : result;
    } catch (error) {
      if (this.dead) return never();
      throw error;
    }
  }
}
