import type { Allowance } from './allowance.ts';

/** What the instances that share an account's limit tell each other. */
export interface SharedState {
  /** Rejects when the store cannot be asked. */
  read(): Promise<SharedKnowledge>;
  /** Nobody sends until `until`; a later time that is known already stays. */
  close(until: number): Promise<void>;
  /** What was learned from answers of 429. */
  allow(allowance: Allowance): Promise<void>;
}

export interface SharedKnowledge {
  closedUntil: number | null;
  allowance: Allowance | null;
  /** The store has lost its memory since it was last read: nobody knows how many places are taken. */
  forgotten: boolean;
}
