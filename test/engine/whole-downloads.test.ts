import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { filing } from '../../src/engine/index.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import { SlackFileError } from '../../src/slack/index.ts';
import { freeSlot, recording } from '../support/builders.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { claimJob } from './claim-job.ts';
import { contextOf } from './context-of.ts';

const NOW = 1_700_000_000_000;
const clock = createFakeClock(NOW);
let ledger: Ledger;
beforeEach(async () => {
  ledger = await openEmptyLedger(NOW);
});
afterEach(() => ledger.close());

const MINUTE = 60_000;

/**
 * What a download brings, and how many bytes its header announces. Default: as many. `page`: it is a
 * web page. `failed`: Slack is too busy.
 */
type Brought = readonly [bytes: string, announced?: number | 'page'] | 'failed';

/**
 * Tries a file of which Slack states 10 bytes, once for each download, at least `apartMs` apart;
 * returns what was sent.
 */
async function sentAfter(downloads: readonly Brought[], apartMs = MINUTE) {
  const sent: string[] = [];
  const left = [...downloads];
  const context = contextOf({
    ...{ ledger, clock },
    service: {
      bulkSlot: async () => freeSlot,
      uploadFile: async (_project, { open, size }, { signal }) => {
        const bytes = await buffer(await open(signal ?? new AbortController().signal));
        sent.push(bytes.toString());
        return { attachmentId: 1, sentBytes: size, serviceTime: null };
      },
    },
    workspace: {
      fileInfo: async (file) => file,
      download: async ({ id, size }) => {
        const next = left[0] ?? ['0123456789'];
        if (next === 'failed') {
          left.shift();
          throw new SlackFileError('SLACK_FILE_UNAVAILABLE', '503');
        }
        const [bytes, header = bytes.length] = next;
        const isPage = header === 'page';
        const announced = isPage ? bytes.length : header;
        // A download of another size is begun anew, to be read whole.
        if (size !== null && size !== announced)
          throw new SlackFileError('SLACK_FILE_SIZE_MISMATCH', `${id} has ${announced} bytes`);
        left.shift();
        return {
          stream: Readable.from([...bytes].map((one) => Buffer.from(one))),
          size: announced,
          isPage,
        };
      },
    },
  });
  const { shareId } = await ledger.recordShare(recording({}, { now: NOW }));
  const kind = filing(context, 1);
  while (left.length > 0) {
    const { dueAt = 0 } = (await ledger.nextFiling({ largest: null })) ?? {};
    await clock.advance(Math.max(apartMs, dueAt - clock.now()));
    await (await claimJob(kind, { now: clock.now(), leaseMs: NOW }))?.();
  }
  const [transfer] = await ledger.transfersOfShare(shareId);
  return { sent, state: transfer?.state, byteSize: transfer?.byteSize };
}

const A = ['aaaaaaa'] as const;
const B = ['bbbbbbb'] as const;
const EARLY = ['aaaaa', 7] as const;
const PAGE = ['aaaaaaa', 'page'] as const;
const OUTAGE = Array.from({ length: 7 }, () => 'failed' as const);

it.each<[string, Brought[], string]>([
  ['three equal downloads in a row', [A, A, A], 'aaaaaaa'],
  ['three in a row after others of the same length', [A, B, A, A, A], 'aaaaaaa'],
  ['three after one that ended early', [A, EARLY, A, A], 'aaaaaaa'],
  ['three after an outage', [...OUTAGE, A, A, A], 'aaaaaaa'],
  ['three after an outage and others', [...OUTAGE, A, B, B, B], 'bbbbbbb'],
  // The third is found to differ while it is being sent, and is read again.
  ['three after two others that were equal', [A, A, B, B, B, B], 'bbbbbbb'],
  ['one of the stated size after two others', [A, A, ['0123456789'], ['0123456789']], '0123456789'],
])('a file is what comes whole: %s', async (_what, downloads, bytes) => {
  const byteSize = bytes.length;
  expect(await sentAfter(downloads)).toEqual({ sent: [bytes], state: 'uploaded', byteSize });
});

it.each<[string, Brought[], apartMs?: number]>([
  ['two equal downloads', [A, A]],
  ['equal downloads within less than two minutes', [A, A, A, A, A], 0],
  ['downloads of the same length that differ', [A, B, A, B]],
  ['downloads that end early', [EARLY, EARLY, EARLY, EARLY], 0],
  ['equal web pages', [PAGE, PAGE, PAGE]],
])('a file of another size than stated is not sent after %s', async (_what, downloads, apartMs) => {
  expect(await sentAfter(downloads, apartMs)).toMatchObject({ sent: [], state: 'recorded' });
});
