export { announcing } from './announce-added.ts';
export { CatchUpSchedule } from './catch-up.ts';
export { deleting } from './deletions.ts';
export type { EngineContext } from './engine-context.ts';
export { filing } from './filing.ts';
export { CLAIM_OUTAGE, createEventWatch, findMissing, JobLoop } from './job-loop.ts';
export { keepLinkNames } from './keep-link-names.ts';
export { keepingMessages } from './keep-message.ts';
export { createEarlierCount, reading } from './reading.ts';
