import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/playground/embedded-slack/index.ts';
import { missingScopes } from '../../src/surfaces/notices/operator-notices.ts';
import { FLOOR_PLANS } from '../support/app-settings.ts';
import { person, screen } from '../support/person.ts';
import { linkChannel, settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

/** The embedded file service's host. */
const unfurlDomains = ['127.0.0.1'];

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ slack: { unfurlDomains } });
  await linkChannel(stack, 'design', FLOOR_PLANS);
});
afterEach(() => {
  stack.service.faults.clear();
  stack.slack.clearFaults();
});
afterAll(() => stack.stop());

/** Shares a file, and lists it; resolves with its address in the service. */
async function addressOf(name: string, channel = 'design', { slack } = stack) {
  const files = [{ name, bytes: `bytes of ${name}` }];
  await settledShare(slack, await slack.share({ channel, user: 'ben', files }));
  const listed = screen(await person(slack, 'ben').types(`/files ${name}`, channel));
  return / → (http\S+)\]/.exec(listed)?.[1] ?? '';
}

/** Posts addresses as Cleo; returns what is shown under them by now, by address. */
async function post(urls: readonly string[], channel = 'design') {
  const text = urls.map((url) => `<${url}>`).join(' and ');
  const { ts } = await stack.slack.say({ channel, user: 'cleo', text });
  return async () => {
    const message = (await stack.slack.state(channel)).find((one) => one.ts === ts);
    const shown = (message?.attachments ?? []) as Json[];
    return Object.fromEntries(
      shown.map((one) => [one['from_url'], screen({ text: '', blocks: one['blocks'] })]),
    );
  };
}

/** Waits until something is shown under them. */
async function previewsOf(urls: readonly string[], channel = 'design') {
  const shown = await post(urls, channel);
  return stack.slack.until(async () => {
    const now = await shown();
    return Object.keys(now).length > 0 && now;
  });
}

describe('the address of a file', () => {
  it('gets a preview in a channel that may see it: its name, its size, and who shared it', async () => {
    const url = await addressOf('radio plan.txt');
    const shown = await previewsOf([url, `${stack.service.accountUrl}/files/1/download`]);
    expect(Object.keys(shown)).toEqual([url]);
    expect(shown[url]).toContain(`| [radio plan.txt → ${url}]`);
    expect(shown[url]).toContain(`23 B · shared by @${stack.slack.ids.users['ben']} on `);
  });

  it('gets none in a channel that may not see it, even beside one that it may', async () => {
    const hidden = await addressOf('minutes.txt', 'board');
    const own = await addressOf('agenda.txt', 'general');
    const shown = await previewsOf([hidden, own], 'general');
    expect(Object.keys(shown)).toEqual([own]);
    expect(JSON.stringify(shown)).not.toContain('minutes');
    expect(Object.keys(await previewsOf([hidden], 'board'))).toEqual([hidden]);
  });

  it('gets its preview while the file service is down', async () => {
    const url = await addressOf('map.txt');
    stack.service.faults.set({ mode: 'outage' });
    expect((await previewsOf([url]))[url]).toContain('map.txt');
  });

  it('gets none where Slack refuses it, and the next one has its own', async () => {
    const url = await addressOf('cable.txt');
    stack.slack.fail('chat.unfurl', 'cannot_unfurl_url');
    const first = await post([url]);
    const refused = () => stack.slack.calls.find(({ error }) => error === 'cannot_unfurl_url');
    await stack.slack.until(refused);
    expect(Object.keys(await previewsOf([url]))).toEqual([url]);
    expect(await first()).toEqual({});
  });

  it('gets its preview in a channel whose folder nobody has listed, also of a file by others', async () => {
    const [folder, mark] = ['23423233/67811579', 1254836];
    await linkChannel(stack, 'board', folder);
    const url = `${stack.service.accountUrl}/files/${mark}/download`;
    expect((await previewsOf([url], 'board'))[url]).toContain('harbour-mark.svg');
  });
});

it('without the scope, nothing is looked up and nothing shown', async () => {
  const scopes = Object.keys(missingScopes([]));
  const without = await startStack({ slack: { unfurlDomains, scopes } });
  const { slack } = without;
  const url = await addressOf('plan.txt', 'general', without);
  await slack.say({ channel: 'general', user: 'cleo', text: `<${url}>` });
  await slack.settled();
  // What the app does in the background ends with it.
  await without.stopApp();
  expect(slack.calls.filter(({ method }) => method === 'chat.unfurl')).toEqual([]);
  await without.stop();
});
