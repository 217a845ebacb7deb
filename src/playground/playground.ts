import type { AppSwitch } from './app-switch.ts';
import type { EmbeddedSlack } from './embedded-slack/index.ts';
import type { FileService } from './file-service/index.ts';

/** The whole stage: the real app between a Slack and a file service. */
export interface Playground {
  slack: EmbeddedSlack;
  service: FileService;
  app: AppSwitch;
}
