import { describe, expect, it, onTestFinished } from 'vitest';
import { FLOOR_PLANS, PROJECT, QUOTES } from '../support/app-settings.ts';
import { person, screen } from '../support/person.ts';
import { seedFile, seedWith } from '../support/seed-files.ts';
import { listedNames } from '../support/shown-view.ts';
import { linkChannel, settledShare } from '../support/slack-channel.ts';
import { startStack } from '../support/start-stack.ts';

const GONE = /the project or folder isn’t in the file service/i;

/** Starts with a public channel and a private one without Ben, each with one file in its folder. */
async function start(unknownParent: 'empty-list' | 'whole-collection') {
  const seed = seedWith({
    [FLOOR_PLANS]: [seedFile(1_000_001, { name: 'plan of the hall.pdf' })],
    [QUOTES]: [seedFile(1_000_002, { name: 'plan to let people go.pdf' })],
  });
  const stack = await startStack({ service: { seed } });
  onTestFinished(() => stack.stop());
  const { behaviour } = stack.service;
  behaviour.set(behaviour.profile(), { unknownParent });
  await linkChannel(stack, 'general', FLOOR_PLANS);
  await linkChannel(stack, 'board', QUOTES);
  const { channels, users } = stack.slack.ids;
  await stack.slack.as('ada', 'conversations.kick', {
    channel: channels['board'],
    user: users['ben'],
  });
  const [ada, ben] = [person(stack.slack, 'ada'), person(stack.slack, 'ben')];
  return { stack, service: stack.service, ada, ben };
}

describe.each(['empty-list', 'whole-collection'] as const)(
  'a folder that is gone, on an account that answers with %s',
  (unknownParent) => {
    it('is reported by /files, which names no other folder’s files', async () => {
      const { service, ben } = await start(unknownParent);
      service.store.deleteFolder(FLOOR_PLANS);
      const shown = screen(await ben.types('/files'));
      expect(shown).toMatch(GONE);
      expect(listedNames(shown)).toEqual([]);
    });

    it('makes /files find name no other folder’s files', async () => {
      const { service, ben } = await start(unknownParent);
      service.store.deleteFolder(FLOOR_PLANS);
      // The search uses the cached copy of the list that is read here.
      await ben.types('/files');
      expect(screen(await ben.types('/files find plan'))).not.toContain('let people go');
    });

    it('makes Delete delete no other folder’s files, whatever number its button has', async () => {
      const { service, ada } = await start(unknownParent);
      const ephemeral = await ada.types('/files');
      service.store.deleteFolder(FLOOR_PLANS);
      const forged = JSON.parse(JSON.stringify(ephemeral).replaceAll('1000001', '1000002'));
      await ada.deletes(forged);
      const requests = service.requests.list();
      expect(requests.filter(({ operation }) => operation === 'delete')).toEqual([]);
    });
  },
);

it('/files in a new empty folder invites to share, even if the folder was made after the last list', async () => {
  const { ada, stack } = await start('empty-list');
  await ada.types('/folders');
  const made = stack.service.store.addFolder(PROJECT, null, 'New');
  await linkChannel(stack, 'design', made.id);
  expect(screen(await ada.types('/files', 'design'))).toContain('Nothing here yet.');
});

it('/files asks for no folders when the folder has files of ours, even if no name matches', async () => {
  const { stack, service, ben } = await start('empty-list');
  const files = [{ name: 'ours.txt', bytes: 'ours' }];
  await settledShare(
    stack.slack,
    await stack.slack.share({ channel: 'general', user: 'ben', files }),
  );
  const before = service.requests.list().length;
  await ben.types('/files');
  await ben.types('/files nothing like that');
  const asked = service.requests.list().slice(before);
  expect(asked.map(({ operation }) => operation)).not.toContain('folders');
});
