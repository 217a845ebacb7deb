import type { Identity } from './objects.ts';
import { type SlackClient, unlessRefused } from './web-api.ts';

/** The optional scopes that bookmarks need. */
const SCOPES = ['bookmarks:read', 'bookmarks:write'];

/** The app's calls on the bookmarks in a channel's header. Each rejects with SlackCallError. */
export function createBookmarks(client: SlackClient, { scopes }: Pick<Identity, 'scopes'>) {
  return {
    /** Whether Slack has granted what they need; true if it does not say. */
    mayBookmark: SCOPES.every((scope) => scopes?.includes(scope) ?? true),
    /** Returns the identifier of the channel's bookmark of an address; null for none. */
    findBookmark: async (channel: string, link: string): Promise<string | null> => {
      const { bookmarks = [] } = await client.bookmarks.list({ channel_id: channel });
      return bookmarks.find((one) => one.link === link)?.id ?? null;
    },
    /** Adds a bookmark, and returns its identifier. */
    addBookmark: async (
      channel: string,
      { title, link }: { title: string; link: string },
    ): Promise<string | null> => {
      const bookmark = { channel_id: channel, title, link, emoji: ':file_folder:' };
      return (await client.bookmarks.add({ ...bookmark, type: 'link' })).bookmark?.id ?? null;
    },
    /** Removes a bookmark; does nothing if it is not there. */
    removeBookmark: async (channel: string, id: string): Promise<void> => {
      const removal = client.bookmarks.remove({ channel_id: channel, bookmark_id: id });
      await unlessRefused(removal, 'not_found');
    },
  };
}
