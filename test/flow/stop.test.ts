import { expect, it } from 'vitest';
import type { Ledger } from '../../src/ledger/index.ts';
import { createFastClock } from '../support/fake-clock.ts';
import { openRaw } from '../support/loopback.ts';
import { person, placeOfButton, screen } from '../support/person.ts';
import { settledShare } from '../support/slack-channel.ts';
import { eventsHead, forgedSignature } from '../support/slack-requests.ts';
import { startStack } from '../support/start-stack.ts';

const forever = () => new Promise<never>(() => undefined);

it('a stop ends hanging work: half a request, a silent file service, a silent ledger', async () => {
  let hangs = false;
  const aroundLedger = (ledger: Ledger): Ledger => ({
    ...ledger,
    endRun: (from, to) => (hangs ? forever() : ledger.endRun(from, to)),
    endMessage: (claim, end) => (hangs ? forever() : ledger.endMessage(claim, end)),
  });
  const stack = await startStack({ appOptions: { aroundLedger, clock: createFastClock(20) } });
  stack.service.faults.set({ mode: 'hang' });
  const files = [{ name: 'stuck.bin', bytes: 'stuck' }];
  await stack.slack.share({ channel: 'general', user: 'ben', files });
  await stack.slack.until(() => stack.service.requests.list().length > 0);
  const { socket, send, closed } = await openRaw(stack.port);
  await send(`${eventsHead(100, forgedSignature())}half`);
  hangs = true;
  await stack.stopApp();
  await closed;
  expect(socket.destroyed).toBe(true);
  await stack.stop();
});

it('a stop finishes an acknowledged delete, and reports it, before it ends', async () => {
  const stack = await startStack();
  const { slack, service } = stack;
  const posted = await slack.share({ channel: 'general', user: 'ben', files: [FILE] });
  await settledShare(slack, posted);
  const ben = person(slack, 'ben');
  const list = await ben.asksToDelete(await ben.types('/files'), FILE.name);
  const goOn = Promise.withResolvers<undefined>();
  const asked = Promise.withResolvers<void>();
  service.faults.intercept(({ operation }) => {
    if (operation !== 'delete') return undefined;
    asked.resolve();
    return goOn.promise;
  });
  const place = placeOfButton(list, 'Delete file');
  const pressed = await slack.press({ ephemeral: list, user: 'ben', ...place });
  await asked.promise;
  const stopped = stack.stopApp();
  goOn.resolve(undefined);
  await stopped;
  expect(pressed.ephemerals.map(screen).join()).toContain(`Deleted ${FILE.name}`);
  await stack.stop();
});

const FILE = { name: 'gone.txt', bytes: 'gone' };
