import { createHmac } from 'node:crypto';

/**
 * Returns the headers that prove to the app that Slack sent a request
 * (https://docs.slack.dev/authentication/verifying-requests-from-slack). `at`: epoch milliseconds.
 */
export function signatureHeaders(secret: string, body: string, at: number): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const digest = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
  return { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${digest}` };
}
