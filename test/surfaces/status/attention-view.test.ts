import { describe, expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../../src/base/index.ts';
import type { LinkBy } from '../../../src/core/index.ts';
import { status, type TroubledChannel } from '../../../src/surfaces/status/attention-view.ts';
import { buttonsOf, shown } from '../../support/shown-view.ts';

const parked = { kind: 'parked', problem: null, count: 1, name: 'a.txt', nextTryAt: null } as const;
const member = { mayRetry: true, mayLink: false };
const channel: TroubledChannel = {
  channel: 'C012ABCDEF',
  files: [parked],
};
const direct = { ...channel, channel: 'D012ABCDEF' };

function seen(
  channels: readonly TroubledChannel[],
  {
    count = 0,
    ...reader
  }: Partial<typeof member & { linkBy: LinkBy; count: number; hasDefault: boolean }> = {},
) {
  return shown(
    status({
      ...{ channels, pages: { page: 1, linksPage: 1 }, inHand: { count, isMore: false } },
      ...{ operator: null, now: 0, linkBy: 'admins', hasDefault: false, ...member, ...reader },
    }),
  );
}

it('status speaks of several files in the plural', () => {
  const large = { ...parked, kind: 'refused', problem: 'SERVICE_TOO_LARGE', count: 12 } as const;
  expect(seen([{ ...channel, files: [large] }])).toContain(
    'a.txt and 11 more – they’re too large for the file service. Share them in smaller parts.',
  );
});

describe('status, of files that wait for a folder', () => {
  it('has a button to choose a folder, or says who can choose one', () => {
    const admins = seen([channel], { mayLink: true });
    expect(admins).toContain('a.txt – the channel has no folder.\n[Choose a folder → ');
    expect(admins).not.toContain('Choose another folder');
    expect(seen([channel])).toContain('A workspace admin can choose one with `/files link`.');
    expect(seen([channel])).not.toContain('[Choose');
  });

  it('says how to file them where the default folder takes what is shared by now', () => {
    const before = '1 file not filed: a.txt – shared before the channel had a folder.';
    const how = 'can file it with “Where is this filed?” in the message’s menu.\n';
    expect(seen([channel], { hasDefault: true })).toContain(`${before} A workspace admin ${how}`);
    expect(seen([channel], { hasDefault: true, mayLink: true })).toContain(`${before} You ${how}`);
    expect(seen([direct], { hasDefault: true })).toContain(
      'shared before the conversation had a folder. To have it filed, share it again.\n',
    );
  });

  it('can be left in Slack by those who may, after a question that says what then', () => {
    const leave = /\[Leave in Slack .*\((.*)\)/;
    const own = (of: TroubledChannel) => ({ ...of, files: [{ ...parked, leavable: 1 }] });
    expect(leave.exec(seen([own(channel)], { mayLink: true }))?.[1]).toContain(
      'Leave 1 file in Slack? It stays in Slack; you can file it later with /files link there.',
    );
    expect(leave.test(seen([channel, direct], { mayLink: true }))).toBe(false);
    expect(leave.exec(seen([own(direct)]))?.[1]).toContain(
      'Leave 1 file in Slack? It stays in Slack.',
    );
  });

  it('calls a direct message a conversation, not a channel', () => {
    expect(seen([direct], { mayLink: true })).toContain('a.txt – the conversation has no folder.');
    expect(seen([direct])).toContain(
      'a.txt – the conversation has no folder. Share it in a channel with a folder.',
    );
    const ofOthers = { ...direct, files: [{ ...parked, name: null }] };
    expect(seen([ofOthers], { mayLink: true })).toContain(
      '1 file not filed – the conversation has no folder.',
    );
    expect(seen([direct])).toContain('- 1 file · 1 conversation\n');
    expect(seen([channel, direct])).toContain('- 2 files · 2 conversations\n');
    expect(seen([channel])).toContain('- 1 file · 1 channel\n');
  });
});

describe('status, of refused files', () => {
  it.each(Object.keys(ERROR_CODES) as ErrorCode[])(
    '%s: mentions the button to try again only if it is there',
    (problem) => {
      const shownNow = seen([{ ...channel, files: [{ ...parked, kind: 'refused', problem }] }]);
      if (/[Pp]ress Try again/.test(shownNow)) expect(shownNow).toContain('[Try again');
    },
  );
});

describe('status, of files that need another folder', () => {
  const files = (['SERVICE_FORBIDDEN', 'SERVICE_NOT_FOUND', 'DESTINATION_GONE'] as const).map(
    (problem) => ({ ...parked, kind: 'refused' as const, problem }),
  );

  it('names the button that gives one, or who can', () => {
    const admins = seen([{ ...channel, files }], { mayLink: true });
    expect(admins.match(/^\| .*press Choose another folder[.,]/gm)).toHaveLength(3);
    expect(admins).toContain('[Choose another folder');
    expect(seen([{ ...channel, files }], { linkBy: 'members' })).toContain(
      'First ask a full member for another folder',
    );
  });

  it('has no such button where another folder does not help', () => {
    const linkOnly = { ...parked, kind: 'refused', problem: 'SLACK_FILE_EXTERNAL' } as const;
    const down = { ...parked, kind: 'waiting', problem: 'SERVICE_FAILED' } as const;
    const shownNow = seen([{ ...channel, files: [linkOnly, down] }], { mayLink: true });
    expect(shownNow).not.toContain('[Choose another folder');
    for (const problem of ['SERVICE_REFUSED', 'RECORD_UNSEEN'] as const)
      expect(
        seen([{ ...channel, files: [{ ...linkOnly, problem }] }], { mayLink: true }),
      ).toContain('[Choose another folder');
  });

  it('calls no channel “this channel”, because it may be read in another one', () => {
    const all = (Object.keys(ERROR_CODES) as ErrorCode[]).map((problem) => ({
      ...channel,
      heldFor: 'DESTINATION_GONE' as const,
      files: [{ ...parked, kind: 'refused' as const, problem }],
    }));
    const pages = all.map((one) => seen([one], { mayLink: true })).join('\n');
    expect(pages).not.toMatch(/this channel| here\b/);
    expect(pages).not.toMatch(/\/files link(?! there)/);
  });
});

describe('status for a reader who may not have files tried again', () => {
  it('says who may, and names no button', () => {
    const files = [{ ...parked, kind: 'refused', problem: 'SERVICE_REFUSED' } as const];
    const shownNow = seen([{ ...channel, files }], { mayRetry: false });
    expect(shownNow).toContain('A full member of this workspace can have it tried again.');
    expect(shownNow).not.toContain('Try again');
  });
});

it('status of a paused link without waiting files counts the link, not the files', () => {
  const shownNow = seen([{ ...channel, files: [], heldFor: 'DESTINATION_GONE' }]);
  expect(shownNow).toContain('- 1 channel\n');
  expect(shownNow).not.toContain('0 files');
});

describe('status, of files that somebody saved by hand', () => {
  const gone = { ...parked, kind: 'refused', problem: 'DESTINATION_GONE' } as const;
  const mayAll = { mayRetry: true, mayLink: true };

  it('lists them apart from files for the channel’s linked folder', () => {
    const files = [gone, { ...gone, name: 'b.txt', isSaved: true }];
    expect(seen([{ ...channel, files }])).toContain(
      '| 1 file couldn’t be filed: a.txt – the folder is gone. First ask a workspace admin for another folder, then press Try again.\n| 1 file couldn’t be filed: b.txt – the folder that was chosen is gone. Choose another with “Save files to a folder” in the message’s menu.',
    );
  });

  it('has no “Choose another folder” button if the channel has only such files', () => {
    const saved = { ...gone, isSaved: true, leavable: 1 };
    expect(seen([{ ...channel, files: [gone, saved] }], mayAll)).toContain(
      '[Choose another folder',
    );
    const shownNow = seen([{ ...channel, files: [saved] }], mayAll);
    expect(shownNow).not.toContain('[Choose another folder');
    expect(shownNow).toMatch(/\[Try again .*\[Leave in Slack/);
  });
});

describe('status, when Leave in Slack asks for confirmation', () => {
  const refused = { ...parked, kind: 'refused', problem: 'SERVICE_FAILED' } as const;
  const saved = { ...refused, isSaved: true };
  const asked = (files: TroubledChannel['files']) => {
    const left = files.map((one) => ({ ...one, leavable: one.leavable ?? one.count }));
    return /\[Leave in Slack [^\n]*\? (.*?)\s*(?=Leave in Slack|$)/m.exec(
      seen([{ ...channel, files: left }], { mayLink: true }),
    )?.[1];
  };

  it('says how to file what was left later: one under its line, several with /files link', () => {
    expect(asked([refused])).toBe(
      'It stays in Slack. To file it after all, press File it under its line.',
    );
    expect(asked([{ ...refused, count: 2 }])).toBe(
      'They stay in Slack; you can file them later with /files link there.',
    );
  });

  it('asks whether to stop trying only if something is tried', () => {
    const given = (kind: 'refused' | 'waiting') =>
      seen([{ ...channel, files: [{ ...refused, kind, leavable: 1 }] }]);
    expect(given('refused')).toMatch(/\(Leave 1 file in Slack\? .* \/ Cancel\)/);
    expect(given('waiting')).toMatch(/\(Stop trying 1 file\? .* \/ Keep trying\)/);
  });

  it('promises no such offer for files that somebody saved by hand', () => {
    expect(asked([saved])).toBe('It stays in Slack. To file it after all, save it again.');
    expect(asked([{ ...saved, count: 2 }])).toBe(
      'They stay in Slack. To file them after all, save them again.',
    );
    expect(asked([refused, saved])).toBe(
      'They stay in Slack; you can file them later with /files link there.',
    );
  });

  it('says that a file may be in the folder already', () => {
    const unclear = { ...refused, problem: 'RECORD_UNCLEAR', mayBeThere: true } as const;
    expect(asked([unclear])).toBe('It may be in the folder already.');
    expect(asked([{ ...unclear, count: 2 }])).toBe('They may be in the folder already.');
    expect(asked([refused, unclear])).toBe(
      'They stay in Slack; you can file them later with /files link there. Some may be in the folder already.',
    );
  });

  it('counts only the files that the reader may leave', () => {
    const some = { ...refused, count: 5, leavable: 2 };
    const shownNow = seen([{ ...channel, files: [some, { ...refused, leavable: 0 }] }]);
    expect(shownNow).toMatch(/\[Leave in Slack .*Leave 2 files in Slack\? They stay in Slack\. /);
  });
});

describe('a button of status', () => {
  const spoken = (channels: TroubledChannel[]) => {
    const pages = { page: 1, linksPage: 1 };
    const nothing = { pages, inHand: { count: 0, isMore: false }, operator: null, now: 0 };
    const may = { linkBy: 'admins', mayRetry: true, mayLink: true } as const;
    const given = { ...nothing, ...may, hasDefault: false };
    return buttonsOf(status({ ...given, channels })).map((one) => one.accessibility_label);
  };
  const problem = 'SERVICE_REFUSED';
  const refused = { ...parked, kind: 'refused', problem, leavable: 1 } as const;

  it('says to a screen reader which files it is about', () => {
    expect(spoken([{ ...channel, files: [refused] }])).toEqual([
      ...['Try again: a.txt', 'Choose another folder: a.txt', 'Leave in Slack: a.txt'],
    ]);
    expect(spoken([{ ...channel, files: [{ ...parked, count: 3, leavable: 3 }] }])).toEqual([
      ...['Choose a folder: a.txt and 2 more', 'Leave in Slack: a.txt and 2 more'],
    ]);
  });

  it('names no file of a channel that its reader is not in, nor one that may not be meant', () => {
    const three = { ...refused, count: 3, leavable: 3 };
    expect(spoken([{ ...channel, files: [{ ...three, name: null }] }])).toEqual([
      ...['Try again: 3 files', 'Choose another folder: 3 files', 'Leave in Slack: 3 files'],
    ]);
    expect(spoken([{ ...channel, files: [{ ...three, leavable: 2 }] }])).toContain(
      'Leave in Slack: 2 files',
    );
  });
});

describe('status, of files on their way', () => {
  it('counts them, and says that all are filed only if nothing is stuck', () => {
    expect(seen([channel], { count: 2 })).toContain('2 files are on their way.');
    expect(seen([], { count: 1 })).toContain('1 file is on its way.');
    expect(seen([])).toContain('All filed. ✅');
    expect(seen([channel])).not.toMatch(/on their way/);
  });
});

describe('status, of files that wait for what somebody has to mend', () => {
  const waiting = (problem: ErrorCode) => {
    const file = { ...parked, kind: 'waiting', problem } as const;
    return seen([{ ...channel, files: [file] }]);
  };

  it('says who mends it, and that they are filed then, and names no next try', () => {
    expect(waiting('DESTINATION_GONE')).toContain(
      'The folder is gone. I’ll file it once that’s fixed, or another folder is chosen.\n',
    );
    expect(waiting('SERVICE_UNAUTHORIZED')).toContain(
      'sign in to the file service. Ask whoever runs Pigeonhole to fix it, and I’ll file this then.\n',
    );
    expect(waiting('SLACK_FILE_UNAUTHORIZED')).toContain(
      'Ask whoever runs Pigeonhole to reinstall Pigeonhole in Slack, and I’ll file this then.\n',
    );
  });
});

describe('status, of a paused link', () => {
  const waits: TroubledChannel['files'][number] = {
    ...{ kind: 'waiting', problem: 'DESTINATION_GONE', count: 2 },
    ...{ name: 'a.txt', nextTryAt: 60_000 },
  };
  const paused = { ...channel, heldFor: 'DESTINATION_GONE' as const };

  it('gives the reason once, and lists the files that wait for the link apart from others', () => {
    const other = { ...waits, problem: 'SERVICE_FAILED', count: 1 } as const;
    const shownNow = seen([{ ...paused, files: [waits, other] }]);
    expect(shownNow).toContain(
      'Files are waiting: the folder is gone.\n| 2 files waiting: a.txt and 1 more.\n| 1 file waiting: a.txt. The file service is down.',
    );
  });

  it('lists the link even if no file waits, with “Choose another folder” for those who may link', () => {
    const shownNow = seen([{ ...paused, files: [] }], { mayLink: true });
    expect(shownNow).toContain('Files are waiting');
    expect(shownNow).toContain('[Choose another folder');
    expect(shownNow).not.toMatch(/\[(Try again|Leave in Slack)|All filed/);
    expect(seen([{ ...paused, files: [] }])).not.toContain('[Choose another folder');
  });
});
