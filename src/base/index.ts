/* For all other rooms: each file is exported whole. */
export * from './agents.ts';
export * from './backoff.ts';
export * from './clock.ts';
export * from './collect.ts';
export * from './errors.ts';
export * from './logger.ts';
export * from './make-folder.ts';
export * from './once-per.ts';
export * from './random.ts';
export * from './version.ts';
