import { DEMO_API_KEY } from '../../../src/playground/file-service/index.ts';
import { FOLDER, PROJECT } from '../../support/app-settings.ts';
import type { AppStart } from './app-start.ts';

/** Returns Pigeonhole's settings, as an operator would give them, with any free port. */
export function pigeonholeEnvironment(options: AppStart): Record<string, string> {
  const { requests, windowMs } = options.rateLimit;
  return {
    SLACK_BOT_TOKEN: options.botToken,
    SLACK_SIGNING_SECRET: options.signingSecret,
    SLACK_API_URL: options.slackApiUrl,
    FILES_ACCOUNT_URL: options.accountUrl,
    FILES_API_KEY: DEMO_API_KEY,
    FILES_CONTACT: 'ops@example.com',
    FILES_RATE_LIMIT: `${requests}/${windowMs / 1000}s`,
    FILES_PROJECT_ID: String(PROJECT),
    FILES_FOLDER_ID: String(FOLDER),
    DATA_DIR: options.dataDir,
    PORT: '0',
  };
}
