import type { App } from '@slack/bolt';

/** Returns a Bolt app that registers the given kinds of listeners, and ignores all others. */
export function standInBolt(kept: object): App {
  const ignored = () => undefined;
  const kinds = ['action', 'command', 'event', 'options', 'shortcut', 'view'];
  const none = Object.fromEntries(kinds.map((kind) => [kind, ignored]));
  return { ...none, ...kept } as Partial<App> as App;
}
