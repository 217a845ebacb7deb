export { ReplayError, readReplay } from './read-replay.ts';
export { type RunningReplay, startReplay } from './start-replay.ts';
