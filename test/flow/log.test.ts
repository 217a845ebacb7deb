import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServiceError } from '../../src/service/index.ts';
import { FOLDER, PROJECT } from '../support/app-settings.ts';
import { createListLogger } from '../support/list-logger.ts';
import { person, screen, unlink } from '../support/person.ts';
import { announced, linkChannel } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const { logger, lines } = createListLogger();
let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ appOptions: { logger } });
});
afterAll(() => stack.stop());

const logged = (text: string) =>
  lines.filter((line) => line.text === text).map(({ fields }) => fields);

it('the log leads from the message to the record of each file that is filed, refused or deleted', async () => {
  const { slack, service } = stack;
  const posted = await slack.share({
    channel: 'general',
    user: 'ben',
    files: [
      { name: 'plan.txt', bytes: 'a plan' },
      { name: 'offer.txt', bytes: 'an offer' },
      { name: 'elsewhere', bytes: 'a link', variant: { mode: 'external' } },
    ],
  });
  await expect.poll(() => logged('A file was filed').length).toBe(2);
  const message = { team: slack.ids.team, channel: posted.channel, ts: posted.ts };
  const folder = { projectId: PROJECT, folderId: FOLDER };
  const transfer = expect.any(Number);
  const idOf = (name: string) => service.store.files(FOLDER).find((file) => file.name === name)?.id;
  const filed = ['plan.txt', 'offer.txt'].map((name, nth) => ({
    ...{ ...message, file: posted.fileIds[nth], transfer, ...folder, record: idOf(name) },
  }));
  expect(logged('A file was filed')).toEqual(expect.arrayContaining(filed));
  expect(logged('A file was refused')).toEqual([
    {
      ...{ ...message, file: posted.fileIds[2], transfer, ...folder },
      ...{ code: 'SLACK_FILE_EXTERNAL', note: expect.any(String) },
    },
  ]);
  const ben = person(slack, 'ben');
  await ben.deletes(await ben.types('/files'), 'plan.txt');
  expect(logged('A file was deleted')).toEqual([{ ...filed[0], user: slack.ids.users['ben'] }]);
});

it('the log records each link and unlink with its user', async () => {
  const { slack } = stack;
  const ids = { team: slack.ids.team, channel: slack.ids.channels['design'] };
  const link = { ...ids, projectId: PROJECT, folderId: 67811603, user: slack.ids.users['ada'] };
  await linkChannel(stack, 'design', 67811603);
  await announced(stack, 'design', () => unlink(slack, 'ada', 'design'));
  expect(logged('A channel was linked')).toEqual([link]);
  expect(logged('A channel was unlinked')).toEqual([link]);
});

it('the log has the error that a person was shown, under the reference below it', async () => {
  stack.service.faults.set({ mode: '401' }, { only: 'list' });
  const shown = screen(await person(stack.slack, 'ben').types('/files'));
  stack.service.faults.clear();
  const [, reference] = /For your admin: (\w+)$/.exec(shown) ?? [];
  expect(lines.filter(({ fields }) => fields['reference'] === reference)).toEqual([
    {
      level: 'warn',
      text: 'A command could not be answered',
      fields: { reference, doing: 'list', error: expect.any(ServiceError) },
    },
  ]);
});

it('the log has the beginning and the end of an outage of the file service', async () => {
  const { slack, service } = stack;
  const outage = () =>
    lines.map(({ text }) => text).filter((text) => /^The file service/.test(text));
  service.faults.set({ mode: 'outage' });
  const files = ['one.txt', 'two.txt'].map((name) => ({ name, bytes: name }));
  await slack.share({ channel: 'general', user: 'ben', files });
  const begins = 'The file service does not work, and files wait until it does';
  await expect.poll(outage).toEqual([begins]);
  service.faults.clear();
  await person(slack, 'ben').types('/files');
  await expect.poll(outage).toEqual([begins, 'The file service works again']);
});
