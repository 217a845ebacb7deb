export type { PortListener } from './admit-requests.ts';
export { checkAppToken } from './app-token.ts';
export { createBoltApp } from './bolt-app.ts';
export { type Download, type GetFile, getFile } from './download.ts';
export { type HistoryPage, type Move, slackTs, slackTsBefore, slackTsFrom } from './history.ts';
export type { KeptMessage } from './kept-message.ts';
export { type MessageBody, postPrivately } from './messages.ts';
export {
  assessFile,
  type ParsedDeletion,
  parseAddedFiles,
  parseDeletion,
  parseEdited,
  parseShare,
  SlackFileError,
} from './objects.ts';
export { createPaces } from './paced-reads.ts';
export { createReceiver } from './receiver.ts';
export {
  failureOf,
  isRefused,
  mayBeRepeated,
  SlackCallError,
  type SlackCallErrorCode,
  slackFetch,
  unlessRefused,
  type WebFetch,
} from './web-api.ts';
export { type OpenModal, openWorkspace, type Workspace } from './workspace.ts';
