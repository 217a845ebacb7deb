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
export { filing, looking } from './filing.ts';
export type { FilingContext } from './filing-context.ts';
export { type JobKind, JobLoop } from './job-loop.ts';
export { KeyBreaker } from './key-breaker.ts';
export { notifying } from './notify.ts';
export type { NotifyContext } from './notify-context.ts';
export { OperatorWatch } from './operator-watch.ts';
export { createPace } from './pace.ts';
export { createProgressBoard } from './progress.ts';
