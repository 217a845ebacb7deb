import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Ledger } from '../../src/ledger/index.ts';
import { FOLDER, PROJECT } from '../support/app-settings.ts';
import { recording, sharedFile } from '../support/builders.ts';
import { createFastClock } from '../support/fake-clock.ts';
import { settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
let ledger: Ledger;
beforeEach(async () => {
  const aroundLedger = (opened: Ledger) => {
    ledger = opened;
    return opened;
  };
  stack = await startStack({ appOptions: { aroundLedger, clock: createFastClock(20) } });
});
afterEach(() => stack.stop());

it('a process files and reports a share that another process recorded, without a wake-up', async () => {
  const { slack, service } = stack;
  const files = [{ name: 'plan.pdf', bytes: 'bytes of the plan' }];
  const posted = await slack.share({ channel: 'general', user: 'ada', files, deliver: false });
  const [id = ''] = posted.fileIds;
  const stub = sharedFile({ id, name: 'plan.pdf', fileAccess: 'check_file_info', url: null });
  const { channel, ts } = posted;
  const share = { team: slack.ids.team, channel, ts, files: [stub] };
  const destination = { projectId: PROJECT, folderId: FOLDER };
  await ledger.recordShare(recording(share, { destination }));
  await settledShare(slack, posted);
  expect(service.store.files(FOLDER).map(({ name }) => name)).toContain('plan.pdf');
});
