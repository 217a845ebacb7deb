import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SlackFileError } from '../../src/slack/index.ts';
import { DESTINATION, recording } from '../support/builders.ts';
import {
  type Instance,
  type InstanceOptions,
  NOTHING_FOUND,
  type Rig,
  startRig,
} from './start-rig.ts';

const HOUR_MS = 60 * 60_000;
const CHANNEL = { team: 'T1', channel: 'C1' };
const FILE = [{ name: 'a.pdf', size: 10 }];

let rig: Rig;
let instance: Instance;
beforeEach(async () => {
  rig = await startRig();
  instance = rig.start();
});
afterEach(() => rig.stop());

describe('the line of a share', () => {
  it('is posted once, at the end, when filing is quick', async () => {
    await rig.share(FILE);
    expect(await rig.settles(HOUR_MS)).toBe(true);
    expect(rig.slack.posted).toHaveLength(1);
    expect(rig.slack.counts).toEqual({ updates: 0, finds: 0 });
  });

  it('is posted early when filing takes long, and edited at the end', async () => {
    rig.service.fates.push('unsent');
    await rig.share(FILE);
    await rig.clock.advance(5_000);
    expect(rig.slack.posted).toHaveLength(0);
    await rig.clock.advance(2_000);
    expect(rig.slack.posted).toHaveLength(1);
    expect(await rig.settles(HOUR_MS)).toBe(true);
    expect(rig.slack.posted).toHaveLength(1);
    expect(rig.slack.counts.updates).toBeGreaterThan(0);
  });

  it('reports a problem at once', async () => {
    rig.service.fates.push('failed');
    await rig.share(FILE);
    await rig.clock.advance(1);
    expect(rig.slack.posted).toHaveLength(1);
  });
});

/** Returns everything that the lines say from now on, oldest first. */
function saidFromNowOn(): string[] {
  const said: string[] = [];
  const { post, update } = rig.slack;
  rig.slack.post = (place, what) => {
    said.push(what.body.text);
    return post(place, what);
  };
  rig.slack.update = (place, body) => {
    said.push(body.text);
    return update(place, body);
  };
  return said;
}

describe('the line of a file that Slack does not hand over', () => {
  it('says at first only that it waits for Slack, after some minutes why, and at last where it is', async () => {
    const said = saidFromNowOn();
    const { download } = rig.slack;
    rig.slack.download = async () => {
      throw new SlackFileError('SLACK_FILE_SIGN_IN_PAGE', 'a page');
    };
    await rig.share(FILE);
    await rig.clock.advance(110_000);
    expect(said).not.toEqual([]);
    for (const text of said) expect(text).toMatch(/^Waiting for Slack: a\.pdf\. Trying again/);
    await rig.clock.advance(10 * 60_000);
    expect(said.at(-1)).toMatch(/^Waiting: a\.pdf\. Slack sent its sign-in page.* Trying again/);
    rig.slack.download = download;
    expect(await rig.settles(HOUR_MS)).toBe(true);
    expect(said.at(-1)).toMatch(/^Filed in .*: a\.pdf/);
  });
});

describe('the line of a large file', () => {
  it('says that it is being sent, whichever instance writes the line', async () => {
    const said = saidFromNowOn();
    const service: InstanceOptions['service'] = (inner) => ({
      ...inner,
      uploadFile: async (projectId, source, options) => {
        for (let seconds = 1; seconds <= 60; seconds += 1) {
          await rig.clock.sleep(1_000, options.signal);
          source.onProgress?.(seconds * 1_000_000);
        }
        return inner.uploadFile(projectId, source, options);
      },
    });
    instance.crash();
    for (let n = 0; n < 2; n += 1) {
      rig.start({ service });
      await rig.clock.advance(1_300);
    }
    await rig.share([{ name: 'film.mp4', size: 60_000_000 }]);
    await rig.settles(HOUR_MS);
    expect(said.length).toBeGreaterThan(1);
    for (const line of said.slice(0, -1)) expect(line).toMatch(/^Sending film\.mp4/);
  });
});

describe('the line of a file that is being sent', () => {
  it('says so before the first bytes have gone', async () => {
    const said: string[] = [];
    const { post } = rig.slack;
    rig.slack.post = (place, what) => {
      said.push(what.body.text);
      return post(place, what);
    };
    const service: InstanceOptions['service'] = (inner) => ({
      ...inner,
      uploadFile: (projectId, source, options) => {
        const open = async (signal: AbortSignal) => {
          const bytes = await source.open(signal);
          await rig.clock.sleep(20_000);
          return bytes;
        };
        return inner.uploadFile(projectId, { ...source, open }, options);
      },
    });
    instance.crash();
    rig.start({ service });
    await rig.clock.advance(1_300);
    await rig.share([{ name: 'film.mp4', size: 500_000 }]);
    await rig.clock.advance(10_000);
    expect(said).toEqual(['Sending film.mp4 (500 kB)']);
    await rig.settles(HOUR_MS);
  });
});

describe('the line of a share that is skipped before it has one', () => {
  it('is posted, as the message already has a reaction', async () => {
    rig.slack.download = async () => {
      throw new SlackFileError('SLACK_FILE_UNAVAILABLE', 'no connection');
    };
    rig.slack.fates.push('limited');
    await rig.share(FILE);
    await rig.clock.advance(1);
    expect(await rig.ledger.parkTroubled(CHANNEL, rig.clock.now())).toBe(1);
    await rig.clock.advance(2_000);
    expect(rig.slack.posted).toHaveLength(1);
  });
});

describe('the line of a share that is filed later among many', () => {
  it('is edited with the outcome, as it already exists', async () => {
    rig.slack.download = async () => {
      throw new SlackFileError('SLACK_FILE_UNAVAILABLE', 'no connection');
    };
    const many = Array.from({ length: 21 }, (_, nth) => ({ name: `${nth}.pdf`, size: 10 + nth }));
    await rig.share(many);
    await rig.clock.advance(60_000);
    await rig.ledger.parkTroubled(CHANNEL, rig.clock.now());
    await rig.clock.advance(60_000);
    const line = String(rig.slack.posted.findIndex(({ kind }) => kind === 'share') + 1);
    let said = '';
    rig.slack.update = async ({ ts }, { text }) => {
      if (ts === line) said = text;
    };
    rig.slack.download = async () => {
      throw new SlackFileError('SLACK_FILE_NOT_FOUND', 'no such file');
    };
    const sent = { destination: DESTINATION, startedBy: 'U1', now: rig.clock.now() };
    expect(await rig.ledger.fileParked(CHANNEL, sent)).toBe(21);
    expect(await rig.settles(HOUR_MS)).toBe(true);
    expect(said).toMatch(/^21 of 21 couldn’t be filed:/);
  });
});

describe('a share that is skipped before its message has a reaction', () => {
  it('gets a line, as its sharer is not the one who skipped it', async () => {
    rig.slack.download = async () => {
      throw new SlackFileError('SLACK_FILE_UNAVAILABLE', 'no connection');
    };
    const first = Promise.withResolvers<void>();
    rig.slack.react = () => first.promise;
    await rig.share(FILE);
    await rig.share([{ name: 'b.pdf', size: 20 }]);
    await rig.clock.advance(1);
    expect(await rig.ledger.parkTroubled(CHANNEL, rig.clock.now())).toBe(2);
    first.resolve();
    await rig.clock.advance(10_000);
    expect(rig.slack.posted).toHaveLength(2);
  });
});

describe('a line whose post got no answer', () => {
  it('is looked for, and not posted again when it is there', async () => {
    rig.slack.fates.push('lost');
    await rig.share(FILE);
    expect(await rig.settles(HOUR_MS)).toBe(true);
    expect(rig.findings()).toEqual(NOTHING_FOUND);
    expect(rig.slack.counts.finds).toBe(1);
  });

  it('is posted when it is not there', async () => {
    rig.slack.fates.push('unsent');
    await rig.share(FILE);
    expect(await rig.settles(HOUR_MS)).toBe(true);
    expect(rig.findings()).toEqual(NOTHING_FOUND);
  });
});

describe('a 429 from Slack', () => {
  it('delays all lines until Slack’s time is up, without looking for any', async () => {
    rig.slack.fates.push('limited', 'limited');
    await rig.share(FILE);
    await rig.share([{ name: 'b.pdf', size: 11 }]);
    await rig.clock.advance(500);
    await rig.share([{ name: 'c.pdf', size: 12 }]);
    await rig.clock.advance(400);
    expect(rig.slack.posted).toHaveLength(0);
    await rig.clock.advance(1_000);
    expect(rig.slack.posted).toHaveLength(3);
    expect(await rig.settles(HOUR_MS)).toBe(true);
    expect(rig.findings()).toEqual(NOTHING_FOUND);
    expect(rig.slack.counts.finds).toBe(0);
  });
});

describe('identical files in one share', () => {
  it('are each filed once, even when a response is lost', async () => {
    rig.service.fates.push('fine', 'fine', 'lost');
    rig.service.put({ name: 'a.pdf', byteSize: 10 });
    await rig.clock.advance(60_000);
    await rig.share([...FILE, ...FILE, ...FILE]);
    expect(await rig.settles(HOUR_MS)).toBe(true);
    expect(rig.findings()).toEqual(NOTHING_FOUND);
    expect(rig.service.contents()).toHaveLength(3);
  });
});

it.each(['event', 'catch-up'] as const)(
  'a message that arrives (%s) after its files were saved by hand gets a reaction and a line',
  async (origin) => {
    const marked: string[] = [];
    rig.slack.react = async (_message, { name }) => void marked.push(name);
    const now = rig.clock.now();
    await rig.ledger.recordShare(recording({}, { origin: 'saved', savedBy: 'U2', now }));
    expect(await rig.settles(HOUR_MS)).toBe(true);
    const report = { ...CHANNEL, kind: 'catch-up', startedBy: null, now: rig.clock.now() } as const;
    const reportId = origin === 'event' ? null : await rig.ledger.createReport(report);
    const given = { origin, reportId, now: rig.clock.now() };
    const own = await rig.ledger.recordShare(recording({}, given));
    instance.wake();
    await rig.comesToRest(HOUR_MS);
    expect(await rig.ledger.transfersOfShare(own.shareId)).toEqual([]);
    expect(rig.slack.posted.map(({ id }) => id)).toContain(own.shareId);
    expect(marked).toEqual(['white_check_mark']);
  },
);
