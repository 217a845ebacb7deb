export { listenForActions } from './actions.ts';
export { createPersonalQuota } from './answer.ts';
export { listenForCommands } from './commands.ts';
export { listenForEvents } from './events.ts';
export { listenForFolderSearch } from './folder-form.ts';
export { listenForLinkModal } from './link-modal.ts';
export type { ListenerContext } from './listener-context.ts';
export { listenForSaveModal } from './save-files.ts';
export { listenForShortcuts } from './shortcuts.ts';
