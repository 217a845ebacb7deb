import { createHmac } from 'node:crypto';
import type { RequestListener } from 'node:http';
import inject from 'light-my-request';
import { afterAll, expect, it } from 'vitest';
import { createApp } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { listen } from '../src/http-server.ts';
import { getFile } from '../src/slack/index.ts';
import { createListLogger } from './support/list-logger.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const SECRET = 'signing-secret';
const TEAM = 'T000000001';
const dataDir = temporaryFolder(afterAll);
const config = loadConfig({
  DATA_DIR: dataDir,
  SLACK_BOT_TOKEN: 'xoxb-1',
  SLACK_SIGNING_SECRET: SECRET,
  FILES_ACCOUNT_URL: 'https://acme.files.example',
  FILES_API_KEY: 'key',
  FILES_CONTACT: 'ops@example.com',
  PORT: '0',
});

// As slow as Slack may be during a start: responses come several turns of the event loop later.
const slack: typeof fetch = async (input) => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  const answers = {
    'auth.test': { team_id: TEAM, user_id: 'UBOT', bot_id: 'BBOT' },
    'bots.info': { bot: { id: 'BBOT', app_id: 'A1', user_id: 'UBOT' } },
  };
  const method = String(input).split('/').at(-1) ?? '';
  const answer = answers[method as keyof typeof answers];
  return Response.json(answer ? { ok: true, ...answer } : { ok: false, error: 'internal_error' });
};

const network = { service: 'http', slack, files: getFile, listen } as const;

function deliverEvent(listener: RequestListener) {
  const joined = { user: 'UBOT', channel: 'C1', team: TEAM, event_ts: '1700000000.000100' };
  const event = { type: 'member_joined_channel', ...joined };
  const payload = JSON.stringify({
    type: 'event_callback',
    team_id: TEAM,
    api_app_id: 'A1',
    event,
  });
  const at = String(Math.floor(Date.now() / 1000));
  const digest = createHmac('sha256', SECRET).update(`v0:${at}:${payload}`).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'x-slack-request-timestamp': at,
    'x-slack-signature': `v0=${digest}`,
  };
  return inject(listener, { method: 'POST', url: '/slack/events', headers, payload });
}

it('a starting app handles the first event that arrives once it listens, however slow Slack is', async () => {
  const { logger, lines } = createListLogger();
  let status = 0;
  const app = createApp(config, {
    logger,
    network: {
      ...network,
      listen: async (given) => {
        status = (await deliverEvent(given.listener)).statusCode;
        return listen(given);
      },
    },
  });
  await app.start();
  await app.stop();
  expect(status).toBe(200);
  expect(lines.filter(({ text }) => /listener|authori/i.test(text))).toEqual([]);
});

it('an app that is stopped during its start leaves nothing running and nothing open', async () => {
  const { logger, lines } = createListLogger();
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const app = createApp(config, {
    logger,
    network: {
      ...network,
      slack: async (input, init) => {
        asked.resolve();
        await answer.promise;
        return slack(input, init);
      },
    },
  });
  const started = app.start();
  const refused = expect(started).rejects.toMatchObject({ code: 'STOPPED' });
  await asked.promise;
  await app.stop();
  answer.resolve();
  await refused;
  expect(lines.filter(({ text }) => text === 'Pigeonhole is running')).toEqual([]);
  // The lock of its folder is free again.
  const next = createApp(config, { logger, network });
  await next.start();
  await next.stop();
});

it.each(['begins to listen', 'tells which lines are due'])(
  'an app that is stopped while it %s leaves no port open, and says that it was stopped',
  async (when) => {
    const { logger, lines } = createListLogger();
    // The port number is no proof: another process may have the port by now.
    let isOpen = false;
    const stopAt = async (at: string) => {
      if (at === when) await app.stop();
    };
    const app = createApp(config, {
      logger,
      aroundLedger: (ledger) => ({
        ...ledger,
        makeOpenLinesDue: async (now) => {
          await ledger.makeOpenLinesDue(now);
          await stopAt('tells which lines are due');
        },
      }),
      network: {
        ...network,
        listen: async (given) => {
          const server = await listen(given);
          isOpen = true;
          await stopAt('begins to listen');
          return { ...server, close: () => server.close().finally(() => (isOpen = false)) };
        },
      },
    });
    await expect(app.start()).rejects.toMatchObject({ code: 'STOPPED' });
    expect(isOpen).toBe(false);
    expect(lines.filter(({ text }) => text === 'Pigeonhole is running')).toEqual([]);
  },
);
