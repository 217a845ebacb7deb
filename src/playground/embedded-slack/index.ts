export { type Attempt, signatureHeaders } from './app-connection/app-connection.ts';
export { type Choice, ElementGone } from './block-kit.ts';
export type { Change } from './changes.ts';
export {
  type EmbeddedSlack,
  type EmbeddedSlackOptions,
  startEmbeddedSlack,
} from './embedded-slack.ts';
export type { FileVariant } from './files/file-object.ts';
export { virtualBytes } from './files/file-store.ts';
export type { InteractionResult } from './interactions/interactions.ts';
export type { ShownMessage } from './messages.ts';
export type {
  Ephemeral,
  Json,
  SlackFile,
  SlackMessage,
  SlackResponse,
  SlackView,
} from './slack-types.ts';
export type { Posted, ShareRequest } from './user-actions.ts';
export type { Faults } from './web-api/faults.ts';
