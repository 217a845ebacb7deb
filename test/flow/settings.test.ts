import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { LINK_CHANNEL } from '../../src/surfaces/link/actions.ts';
import { SETTINGS_CHOICES } from '../../src/surfaces/settings/settings-view.ts';
import { FLOOR_PLANS, QUOTES, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { person, placeOfButton, screen, unlink } from '../support/person.ts';
import { announced, linkChannel } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ env: WITHOUT_DEFAULT });
});
afterEach(() => stack.slack.closeView({ user: 'ada', all: true }));
afterAll(() => stack.stop());

const top = () => stack.slack.views('ada').at(-1);
const shown = () => screen({ text: '', blocks: top()?.blocks });
const help = async (channel: string) =>
  screen(await person(stack.slack, 'ada').types('/files help', channel));

/** Opens the settings of a channel that is linked to the floor plans. */
async function openSettings(channel: string): Promise<void> {
  await linkChannel(stack, channel, FLOOR_PLANS);
  await stack.slack.command({ command: '/files', text: 'settings', user: 'ada', channel });
  await stack.slack.until(() => shown().includes(`in #${channel} will`) || undefined);
}

const saveLines = () =>
  stack.slack.submitView({ user: 'ada', values: { [SETTINGS_CHOICES]: ['lines'] } });
const OUTDATED = { folder: 'This channel’s folder has changed since. Open the settings again.' };

it('settings that stayed open bring back no folder that somebody has replaced since', async () => {
  await openSettings('design');
  await linkChannel(stack, 'design', QUOTES);
  expect((await saveLines()).errors).toEqual(OUTDATED);
  expect(await help('design')).toContain('Quotes');
});

it('settings that stayed open bring back no folder that somebody has unlinked since', async () => {
  await openSettings('general');
  await announced(stack, 'general', () => unlink(stack.slack, 'ada', 'general'));
  expect((await saveLines()).errors).toEqual(OUTDATED);
  expect(await help('general')).toContain('no folder yet');
});

it('an admin outside a private channel unlinks it from the settings that the App Home opens', async () => {
  const { slack } = stack;
  const channel = slack.ids.channels['board'] ?? '';
  await linkChannel(stack, 'board', QUOTES);
  await slack.as('ada', 'conversations.leave', { channel });
  await slack.openHome('ada');
  const home = await slack.until(() => slack.home('ada'));
  const { actionId, blockId } = placeOfSettings(home.blocks, channel);
  await slack.press({ view: home.id, user: 'ada', actionId, blockId });
  const form = await slack.until(() =>
    shown().includes('[Unlink this channel') ? top() : undefined,
  );
  await slack.press({ view: form.id, user: 'ada', ...placeOfButton(form, 'Unlink this channel') });
  expect(await slack.until(() => !shown().includes('[Unlink') && shown())).toContain('unlinked');
});

/** Returns where the App Home has the button that opens a channel's settings. */
function placeOfSettings(blocks: readonly object[], channel: string) {
  for (const block of blocks) {
    const { elements = [], block_id: blockId = '' } = block as {
      elements?: { action_id?: string; value?: string }[];
      block_id?: string;
    };
    const isIt = elements.some(
      ({ action_id, value }) => action_id === LINK_CHANNEL.id && value?.includes(channel),
    );
    if (isIt) return { actionId: LINK_CHANNEL.id, blockId };
  }
  return expect.unreachable('The App Home has no button for this channel');
}
