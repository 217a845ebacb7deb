export { CatchUpSchedule } from './catch-up-schedule.ts';
export { type Checkpoint, type CheckpointName, noCheckpoint } from './checkpoint.ts';
export { countEarlier } from './count-earlier.ts';
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
export { reading } from './reading.ts';
export type { ReadingContext } from './reading-context.ts';
