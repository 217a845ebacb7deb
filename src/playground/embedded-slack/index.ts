export { type Attempt, type Forgery, signatureHeaders } from './app-connection/app-connection.ts';
export type { Delivery } from './app-connection/events-api.ts';
export { type Choice, ElementGone } from './block-kit.ts';
export type { Change } from './changes.ts';
export type { Ids } from './directory.ts';
export {
  type EmbeddedSlack,
  type EmbeddedSlackOptions,
  startEmbeddedSlack,
} from './embedded-slack.ts';
export type { DownloadFault, FileVariant } from './files/file-object.ts';
export { type FileContent, type NewFile, virtualBytes } from './files/file-store.ts';
export type { CommandRequest, InteractionResult } from './interactions/interactions.ts';
export type { SubmissionResult } from './interactions/view-submissions.ts';
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
export type { CallBudget, Faults } from './web-api/faults.ts';
export type { SlackCall } from './web-api/web-api.ts';
