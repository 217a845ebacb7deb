import { expect, it, onTestFinished, vi } from 'vitest';
import { appSettings, FOLDER } from '../support/app-settings.ts';
import { startEmbedded } from '../support/embedded.ts';
import { startMain } from '../support/main-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { watchShares } from '../support/watch-shares.ts';
import { startPostgres } from './start-postgres.ts';

const RATE_LIMIT = { requests: 10, windowMs: 2_000 };

it('an empty database beside a used ledger is refused, and what was in hand is filed once that is back', async ({
  signal,
}) => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.remove());
  const embedded = await startEmbedded({
    service: { rateLimit: RATE_LIMIT },
    slack: { retryDelaysMs: [0, 20, 20] },
  });
  onTestFinished(() => embedded.stop());
  const { slack, service } = embedded;
  const folder = temporaryFolder();
  const settings = {
    ...appSettings(embedded),
    ...{ SLACK_APP_TOKEN: slack.appToken, FILES_RATE_LIMIT: '10/2s', DATA_DIR: './kept' },
  };
  const start = (more = {}, ...given: string[]) => {
    const app = startMain(folder, { ...settings, ...more }, given);
    onTestFinished(() => void app.child.kill('SIGKILL'));
    return app;
  };
  const watch = watchShares(slack, service);
  const share = (name: string) =>
    watch.share({ channel: 'general', user: 'ben', files: [{ name, bytes: Buffer.from(name) }] });
  const shareMany = (count: number, kind: string) =>
    Promise.all(Array.from({ length: count }, (_, index) => share(`${kind}-${index}.txt`)));

  const first = start();
  await first.wrote(/is running/);
  await slack.until(() => slack.socket.connections() > 0);
  await shareMany(14, 'before');
  await vi.waitUntil(() => service.requests.list().length > 5, { timeout: 20_000 });
  first.child.kill('SIGKILL');
  await first.stop();
  expect(service.store.files(FOLDER).length).toBeLessThan(14);

  const other = { DATABASE_URL: await postgres.createDatabase() };
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const refused = start(other);
    await expect(refused.wrote(/is running/)).rejects.toThrow();
    expect(await refused.stop()).toBe(1);
    expect(refused.output()).toMatch(/DATABASE_URL is new.*DATA_DIR \(\.\/kept\).*--new-ledger/);
  }
  await shareMany(6, 'meanwhile');

  const back = start();
  await back.wrote(/The ledger is known/);
  await watch.filed(signal);
  const { silent: _, chatty: __, ...files } = await watch.findings();
  expect(files).toEqual({ lost: [], twice: [], wrong: [] });
  await back.stop();

  const meant = start(other, '--new-ledger');
  await meant.wrote(/The ledger is new"/);
  await meant.wrote(/The ledger is new, but the bot is in channels already/);
  await meant.stop();
  const again = start(other);
  await again.wrote(/The ledger is known/);
  await again.wrote(/is running/);
  await again.stop();
  expect(service.store.files(FOLDER)).toHaveLength(20);
}, 120_000);
