import { afterAll, beforeAll, expect, it } from 'vitest';
import { everyList } from '../../src/playground/file-service/index.ts';
import { FOLDER } from '../support/app-settings.ts';
import { answersIn, screen } from '../support/person.ts';
import { seedFiles, seedWith } from '../support/seed-files.ts';
import { settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

// Other people's files: more than are read before the first response.
const secrets = seedFiles(900, (nth) => ({ name: `secret-${nth}.pdf` }));
const seed = seedWith({ [FOLDER]: secrets });

let stack: Stack;
beforeAll(async () => {
  const behaviour = { listPaging: everyList('paged' as const) };
  stack = await startStack({ service: { seed, behaviour } });
  const files = ['ours-1.txt', 'ours-2.txt'].map((name) => ({ name, bytes: name }));
  await settledShare(
    stack.slack,
    await stack.slack.share({ channel: 'general', user: 'ben', files }),
  );
});
afterAll(() => stack.stop());

it.each([
  ['/files', 'general', '2 files · only files shared here'],
  ['/files list ours-2', 'general', '1 of 2 files with “ours-2” in the name · only'],
  ['/files list secret', 'general', 'among 2 files.'],
  ['/files', 'random', 'Nothing here yet.'],
  ['/files list secret', 'random', 'Nothing here yet.'],
])(
  'a large default folder shows nothing of other channels, before and after it is read: %s in %s',
  async (line, channel, whole) => {
    await stack.restart();
    const [command = '', ...words] = line.split(' ');
    const typed = { command, text: words.join(' '), user: 'cleo', channel };
    const reaction = await stack.slack.command(typed);
    await stack.slack.until(() => answersIn(reaction).some((one) => screen(one).includes(whole)));
    for (const shown of reaction.ephemerals) {
      expect(screen(shown)).not.toContain('secret-');
      expect(screen(shown)).not.toMatch(/\b90\d\b/);
    }
  },
);

it('a search of a large default folder neither finds nor counts files of other channels', async () => {
  const typed = { command: '/files', text: 'find secret', user: 'cleo', channel: 'general' };
  const reaction = await stack.slack.command(typed);
  const answer = await stack.slack.until(() => answersIn(reaction)[0]);
  expect(screen(answer)).toContain('No matches for `secret` among 2 files in 1 folder.');
  for (const shown of reaction.ephemerals) expect(screen(shown)).not.toContain('secret-');
});
