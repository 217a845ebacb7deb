/**
 * Text with mrkdwn's three control characters escaped, so that it makes no link, mention or
 * broadcast (https://docs.slack.dev/messaging/formatting-message-text).
 */
export function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
