/* Vocabulary and policy for all other rooms: each file is exported whole. */
export * from './added-files.ts';
export * from './folder-plan.ts';
export * from './holds.ts';
export * from './looks.ts';
export * from './match-records.ts';
export * from './mirror-rules.ts';
export * from './names.ts';
export * from './retry-policy.ts';
export * from './rights.ts';
export * from './share.ts';
export * from './state.ts';
