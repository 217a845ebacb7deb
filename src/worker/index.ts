export { Backfills } from './backfills.ts';
export { catchUp } from './catch-up.ts';
export type { CatchUpContext } from './catch-up-context.ts';
export { CatchUpSchedule } from './catch-up-schedule.ts';
export { type Checkpoint, type CheckpointName, noCheckpoint } from './checkpoint.ts';
export {
  createFindDestination,
  type FindDestination,
  type FoundDestination,
} from './destinations.ts';
export { KeyBreaker } from './key-breaker.ts';
export { createPace } from './pace.ts';
export { createProgressBoard } from './progress.ts';
export { createSemaphore } from './semaphore.ts';
export type { TellContext } from './tell-context.ts';
export { Teller } from './teller.ts';
export type { TransferContext } from './transfer-context.ts';
export { DEFAULT_WORKER, Worker, type WorkerOptions } from './worker.ts';
