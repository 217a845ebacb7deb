import type { AppRunner } from './app-runner.ts';
import type { EmbeddedSlack } from './embedded-slack/index.ts';
import type { FileService } from './file-service/index.ts';

/** The real app between an embedded Slack and an embedded file service. */
export interface Playground {
  slack: EmbeddedSlack;
  service: FileService;
  app: AppRunner;
}
