import { never } from './never.ts';
import { runAs, type TimerOwner } from './virtual-time.ts';

/** Thrown in place of the next action of a dead process; nothing catches it. */
export class ProcessDied extends Error {
  constructor(name: string) {
    super(`${name} is dead`);
  }
}

/**
 * One process of the app. Each of its effects on the world passes an `edge`, where it may be
 * killed. From then on it has no effect, and nothing that it awaits ever arrives.
 */
export class SimProcess implements TimerOwner {
  readonly name: string;
  dead = false;
  /** How often it was paused. */
  pauses = 0;
  #edgesLeft = Number.POSITIVE_INFINITY;
  #dyings: (() => void)[] = [];
  #paused: PromiseWithResolvers<void> | null = null;
  #deferred: (() => void)[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** Kills it at the n-th edge from now: just before or just after a statement or a message. */
  killAtEdge(n: number): void {
    this.#edgesLeft = n;
  }

  kill(): void {
    if (this.dead) return;
    this.dead = true;
    for (const die of this.#dyings.splice(0)) runAs(null, die);
  }

  /** Calls `die` when the process dies, or at once if it is dead. */
  onDeath(die: () => void): void {
    if (this.dead) die();
    else this.#dyings.push(die);
  }

  /**
   * Pauses it; returns a function that ends the pause. What arrives meanwhile is delivered at the
   * end.
   */
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

  /** Passes one edge. Throws ProcessDied if the process is killed here or is already dead. */
  pass(): void {
    if (this.dead) throw new ProcessDied(this.name);
    this.#edgesLeft -= 1;
    if (this.#edgesLeft > 0) return;
    this.kill();
    throw new ProcessDied(this.name);
  }

  /** Sends something out into the world and awaits the result; a dead process does neither. */
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

  /** Awaits something inside the process; never settles once the process is dead. */
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
