export { listenForActions } from './actions.ts';
export { listenForAppHome } from './app-home.ts';
export { listenForCommands } from './commands.ts';
export { listenForEvents } from './events.ts';
export { listenForLinkModal } from './link-modal.ts';
export { listenForLinkSubmission } from './link-submission.ts';
export type { ListenerContext } from './listener-context.ts';
export { createPersonalShares } from './personal-shares.ts';
export { listenForShortcuts } from './shortcuts.ts';
