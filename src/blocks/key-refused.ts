import { say } from './say.ts';
import type { View } from './view.ts';

/** What one person is told, in private, when the service does not accept the key any more. */
export function keyRefused(): View {
  return say(
    [
      'The file service no longer accepts Pigeonhole’s key, so files shared in Slack are waiting. Nothing is lost.',
    ],
    [
      'Please ask the person who runs Pigeonhole to put in a valid key. Filing goes on by itself once the key works. I’m telling you because you linked a channel whose files are waiting.',
    ],
  );
}
