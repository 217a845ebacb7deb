import { DEMO_API_KEY } from '../../src/playground/file-service/index.ts';

export const PROJECT = 23423235;
export const FOLDER = 67811600;
/** Another folder of that project. */
export const FLOOR_PLANS = 67811601;
export const QUOTES = 67811603;

/** The settings that the app cannot do without, between a Slack and an account of examples. */
export const REQUIRED_SETTINGS = {
  SLACK_BOT_TOKEN: 'xoxb-1',
  SLACK_SIGNING_SECRET: 'signing',
  FILES_ACCOUNT_URL: 'https://account.example',
  FILES_API_KEY: 'key',
  FILES_CONTACT: 'ops@example.com',
};

/** Settings with no default folder: only linked channels have a folder. */
export const WITHOUT_DEFAULT = { FILES_PROJECT_ID: '', FILES_FOLDER_ID: '' };

/** The app's settings between an embedded Slack and an embedded file service, on any free port. */
export function appSettings({
  slack,
  service,
}: {
  slack: { botToken: string; signingSecret: string; apiUrl: string };
  service: { accountUrl: string };
}): Record<string, string> {
  return {
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_SIGNING_SECRET: slack.signingSecret,
    SLACK_API_URL: slack.apiUrl,
    FILES_ACCOUNT_URL: service.accountUrl,
    FILES_API_KEY: DEMO_API_KEY,
    FILES_CONTACT: 'ops@example.com',
    FILES_RATE_LIMIT: '1000/1s',
    FILES_PROJECT_ID: String(PROJECT),
    FILES_FOLDER_ID: String(FOLDER),
    PORT: '0',
  };
}
