export { announcing } from './announce-added.ts';
export { countEarlier } from './backfill.ts';
export { leaveUnrecorded } from './catch-up.ts';
export { CatchUpSchedule } from './catch-up-schedule.ts';
export { deleting } from './deletions.ts';
export { createFindDestination } from './destinations.ts';
export { filing, looking } from './filing.ts';
export { type JobKind, JobLoop } from './job-loop.ts';
export { KeyBreaker } from './key-breaker.ts';
export { notifying } from './notify.ts';
export { sayShare } from './notify-share.ts';
export { OperatorWatch } from './operator-watch.ts';
export { createProgressBoard } from './progress.ts';
export { reading } from './reading.ts';
export {
  type Checkpoint,
  type CheckpointName,
  type FilingContext,
  noCheckpoint,
} from './worker-context.ts';
