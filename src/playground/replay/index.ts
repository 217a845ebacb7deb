export { ReplayError, readReplay } from './read-replay.ts';
export { startReplay } from './start-replay.ts';
