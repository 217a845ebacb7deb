import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Action } from '../plan/actions.ts';
import type { World } from '../world/world.ts';

/** After one of these, Slack may have refused a bookmark, or nobody was there to put it. */
const MAY_LACK: Action['kind'][] = [
  ...(['kill', 'kill-on-ack', 'restart', 'pause', 'disk-full'] as const),
  ...(['bot-removed', 'archived'] as const),
];

/** Checks the bookmarks of all channels against the links in a ledger that nobody has open. */
export function checkBookmarks(world: World): void {
  const database = new DatabaseSync(join(world.dataDir, 'pigeonhole.sqlite'), { readOnly: true });
  try {
    const query = database.prepare('select channel, folder_id from channels');
    const links = new Map(query.all().map((row) => [row['channel'], row['folder_id']]));
    for (const channel of world.slack.state.channels.keys())
      checkBookmark(world, channel, Number(links.get(channel) ?? 0) || null);
  } finally {
    database.close();
  }
}

/** Checks that a channel's only bookmark is that of its folder; `folder` null: that it has none. */
export function checkBookmark(world: World, channel: string, folder: number | null): void {
  const { plan, oracle, slack } = world;
  const addresses = [...(slack.state.channels.get(channel)?.bookmarks.values() ?? [])];
  // However a folder's address was pasted, it ends with its number.
  const folders = addresses.map((address) => Number(/\d+$/.exec(address)));
  const what = `${channel} is linked to ${folder}, and has ${addresses.join(', ') || 'none'}`;
  if (new Set(folders).size < folders.length)
    oracle.fail('a folder has one bookmark in a channel', what);
  if (plan.rates.slack.probability > 0 || plan.rates.disk > 0) return;
  if (plan.steps.some(({ action }) => MAY_LACK.includes(action.kind))) return;
  if (folders.join() !== String(folder ?? ''))
    oracle.fail('a channel has the bookmark of its folder, and no other', what);
}
