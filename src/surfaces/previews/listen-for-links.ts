import type { App, types } from '@slack/bolt';
import { failureOf } from '../../slack/index.ts';
import type { SurfaceContext } from '../kit/surface-context.ts';
import { findLinkedFile } from './find-linked-file.ts';
import { filePreview } from './preview-view.ts';

/** The scope without which Slack shows no previews of ours. */
const TO_PREVIEW = 'links:write';

/** The most addresses of a message that are looked up. */
const MAX_LINKS = 5;

/**
 * Shows under a posted address which file it leads to, if the channel may see that
 * (https://docs.slack.dev/messaging/unfurling-links-in-messages). Does nothing without the scope. While
 * a message is being written, Slack does not say where it will be posted.
 */
export function listenForLinks(app: App, context: SurfaceContext): void {
  const { scopes } = context.workspace.identity;
  if (scopes && !scopes.includes(TO_PREVIEW)) return;
  app.event('link_shared', async ({ event }) => {
    if (event.source !== 'composer') context.inBackground(preview(event, context));
  });
}

async function preview(
  { channel, message_ts: ts, links }: types.LinkSharedEvent,
  context: SurfaceContext,
): Promise<void> {
  const { workspace, logger } = context;
  const { team } = workspace.identity;
  const urls = [...new Set(links.map(({ url }) => url))].slice(0, MAX_LINKS);
  const found = await Promise.all(
    urls.map(async (url) => {
      const file = await findLinkedFile({ team, channel }, url, context);
      return file ? [[url, { blocks: filePreview(file).blocks }] as const] : [];
    }),
  );
  const previews = Object.fromEntries(found.flat());
  if (Object.keys(previews).length === 0) return;
  const error = await failureOf(workspace.unfurl({ channel, ts }, previews));
  if (error) logger.warn({ channel, ts, error }, 'A preview could not be shown');
}
