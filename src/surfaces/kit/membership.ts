import { type Actor, may } from '../../core/index.ts';
import type { RenderContext } from './render-context.ts';

/**
 * Returns whether a person may still act on the channel of a form or button, which may be old. False
 * only for a private channel that they have left. Slack does not list the members of a channel that is
 * archived or that the bot is not in, so those pass.
 */
export async function isStillIn(
  person: Actor & { channel: string },
  { workspace }: Pick<RenderContext, 'workspace'>,
): Promise<boolean> {
  return may(person, 'see-status') || !(await workspace.isClosedTo(person, person.channel));
}
