import { EventEmitter, once } from 'node:events';

/** A change in this Slack that a listener may want to show. */
export interface Change {
  what:
    | 'message'
    | 'reaction'
    | 'ephemeral'
    | 'view'
    | 'file'
    | 'member'
    | 'bookmark'
    | 'delivery'
    | 'call'
    | 'connection';
}

/** `T` without its falsy values. */
type Truthy<T> = Exclude<T, undefined | null | false | 0 | ''>;

export interface Changes {
  notify(what: Change['what']): void;
  /** Returns the function that removes the listener. */
  onChange(listener: (change: Change) => void): () => void;
  /**
   * Calls `look` now and after every change, and resolves with its first truthy result. Rejects
   * with the signal's reason, or when this Slack stops.
   */
  until<T>(look: () => T | Promise<T>, signal?: AbortSignal): Promise<Truthy<T>>;
}

export function createChanges(stopped: AbortSignal): Changes {
  const emitter = new EventEmitter();
  emitter.setMaxListeners(0);
  let count = 0;

  return {
    notify: (what) => {
      count += 1;
      emitter.emit('change', { what });
    },
    onChange: (listener) => {
      emitter.on('change', listener);
      return () => emitter.off('change', listener);
    },
    until: async <T>(look: () => T | Promise<T>, signal?: AbortSignal) => {
      const either = signal ? AbortSignal.any([stopped, signal]) : stopped;
      for (;;) {
        either.throwIfAborted();
        const seen = count;
        const found = await look();
        if (found) return found as Truthy<T>;
        if (seen === count) await once(emitter, 'change', { signal: either });
      }
    },
  };
}
